// SPDX-License-Identifier: Apache-2.0
// Zoom: parts of panels, and their ticks.

// Part of a panel by which a view differs from all of it at least.
const LEAST = 1e-4;

// Halves or doubles what is seen, around the cursor.
function closer(figure, paper, factor) {
  const [panel] = panelsOf(paper);
  if (!zooms(panel)) return;
  const { view, left, width } = panel;
  const part = Math.min(view.width * factor, width);
  const middle = figure.cursor === undefined ? view.left + view.width / 2 : drawnX(panel, figure.cursor);
  const from = Math.min(Math.max(middle - part / 2, left), left + width - part);
  look(figure, panel, { ...view, left: from, width: part });
}

function zooms(panel) {
  return panel.across.kind !== "names" && !panel.panel.querySelector(".tile");
}

// Shows a part of a panel, and the same part of all panels that are linked with it.
function look(figure, panel, view) {
  const [from, to] = [view.left, view.left + view.width].map((x) => panel.across.value(x));
  const whole = view.width >= panel.width * (1 - LEAST) && view.height >= panel.height * (1 - LEAST);
  const figures = panel.link ? document.querySelectorAll("figure") : [figure];
  for (const each of figures) {
    let changed = false;
    for (const paper of each.querySelectorAll(".paper")) {
      for (const other of panelsOf(paper)) {
        if (panel.link ? other.link !== panel.link : other.panel !== panel.panel) continue;
        changed = true;
        if (panel.link || whole) {
          const ends = [from, to].map((value) => other.across.position(value));
          show(other, whole ? other : { left: Math.min(...ends), width: Math.abs(ends[1] - ends[0]), top: other.top, height: other.height });
        } else show(other, view);
      }
    }
    if (changed) each.querySelector("[data-reset]").hidden = whole;
  }
  clear(figure);
}

function show(panel, { left, top, width, height }) {
  panel.view = { left, top, width, height };
  const [kx, ky] = [width / panel.width, height / panel.height];
  const zoomed = kx < 1 - LEAST || ky < 1 - LEAST;
  panel.panel.classList.toggle("zoomed", zoomed);
  for (const inner of panel.panel.querySelectorAll(":scope > svg")) {
    inner.setAttribute("viewBox", [left - 3 * kx, top - 3 * ky, width + 6 * kx, height + 6 * ky].join(" "));
    // Marks and words keep their shape.
    for (const mark of inner.querySelectorAll(".dot, text")) {
      mark.removeAttribute("transform");
      if (!zoomed) continue;
      const [x, y] = mark.localName === "text" ? [mark.getAttribute("x"), mark.getAttribute("y")] : middleOf(mark);
      mark.setAttribute("transform", `translate(${x} ${y}) scale(${kx} ${ky}) translate(${-x} ${-y})`);
    }
  }
  for (const ticks of panel.panel.querySelectorAll(":scope > .new")) ticks.remove();
  if (zoomed) ticksOf(panel);
}

// Round values between two others, about so many, and at least two.
function round(low, high, count) {
  const found = multiples(low, high, count);
  return found.length > 1 || count > 8 ? found : round(low, high, count + 1);
}

function multiples(low, high, count) {
  const raw = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = power * [1, 2, 5, 10].find((each) => raw <= each * power * (1 + 1e-9));
  const found = [];
  for (let n = Math.ceil(low / step - 1e-9); n * step <= high + step * 1e-9; n += 1) found.push(Number((n * step).toPrecision(12)));
  return found;
}

function ticksOf(panel) {
  const { left, top, width, height, across, up, view } = panel;
  const words = make("g", { class: "new" });
  const lines = make("g", { class: "new" });
  const label = (value, factor) => Number((value / factor).toPrecision(8)).toLocaleString("en-US", { maximumFractionDigits: 9 }).replaceAll(",", "\u202f").replace("-", "\u2212");
  if (across.kind !== "names") {
    const ends = [view.left, view.left + view.width].map((x) => across.value(x)).sort((a, b) => a - b);
    let last = -Infinity;
    const marks = round(...ends, Math.max(3, Math.floor(width / 80))).map((value) => [seenX(panel, across.position(value)), label(value, across.factor)]);
    for (const [x, text] of marks.sort((a, b) => a[0] - b[0])) {
      words.append(make("path", { class: "floor", d: `M${x} ${top + height}v4` }));
      const half = text.length * 3.3;
      if (!panel.foot || x - half < last + 6) continue;
      last = x + half;
      words.append(make("text", { class: "tick middle", x, y: top + height + 18 }, text));
    }
  }
  if (up.kind !== "names") {
    const ends = [view.top, view.top + view.height].map((y) => up.value(y)).sort((a, b) => a - b);
    for (const value of round(...ends, Math.max(2, Math.floor(height / 45)))) {
      const y = seenY(panel, up.position(value));
      lines.append(make("path", { class: "grid", d: `M${left} ${y}h${width}` }));
      words.append(make("text", { class: "tick end", x: left - 8, y: y + 4 }, label(value, up.factor)));
    }
  }
  panel.panel.querySelector(":scope > .ticks.lines").after(lines);
  panel.panel.append(words);
}

// A drag over a panel zooms to what it went over: in width where its axis is of time, else in both directions.
function bringZoom(figure, plot) {
  let from;
  const ends = () => {
    brush.remove();
    from = undefined;
  };
  const brush = make("rect", { class: "brush" });
  const size = (event) => {
    const { panel, paper } = from;
    const [x, y] = placeOf(paper, event);
    const clip = (value, start, length) => Math.min(Math.max(value, start), start + length);
    const sides = [from.x, clip(x, panel.left, panel.width)].sort((a, b) => a - b);
    const levels = [from.y, clip(y, panel.top, panel.height)].sort((a, b) => a - b);
    // Over time, and where a drag goes along one axis alone, all of the other stays.
    const flat = panel.link || levels[1] - levels[0] < 12 || panel.up.kind === "names";
    return {
      left: sides[0], width: sides[1] - sides[0],
      top: flat ? panel.top : levels[0], height: flat ? panel.height : levels[1] - levels[0],
    };
  };
  plot.addEventListener("pointerdown", (event) => {
    const paper = visiblePaper(figure);
    const [x, y] = placeOf(paper, event);
    const panel = panelsOf(paper).find((each) => contains(each, x, y));
    if (event.pointerType === "touch" || event.button !== 0 || !panel || !zooms(panel)) return;
    event.preventDefault();
    plot.focus({ preventScroll: true });
    from = { panel, paper, x: Math.min(Math.max(x, panel.left), panel.left + panel.width), y };
    plot.setPointerCapture(event.pointerId);
  });
  plot.addEventListener("pointermove", (event) => {
    if (!from) return;
    const { left, top, width, height } = size(event);
    for (const [name, value] of Object.entries({ x: left, y: top, width, height })) brush.setAttribute(name, value);
    if (width > 4) from.paper.append(brush);
  });
  plot.addEventListener("pointerup", (event) => {
    if (!from) return;
    const { panel } = from;
    const { left, top, width, height } = size(event);
    ends();
    figure.dragged = width >= 6;
    if (!figure.dragged) return;
    const [x, y] = [drawnX(panel, left), drawnY(panel, top)];
    look(figure, panel, {
      left: x, width: drawnX(panel, left + width) - x, top: y, height: drawnY(panel, top + height) - y,
    });
  });
  plot.addEventListener("pointercancel", ends);
  plot.addEventListener("dblclick", () => whole(figure, visiblePaper(figure)));
}

function whole(figure, paper) {
  for (const panel of panelsOf(paper)) look(figure, panel, panel);
}
