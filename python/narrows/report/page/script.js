// What the page adds where scripts run: theme, legends that hide series, a read-out of values, zoom, the choice of a
// replication, saving figures.
// Values are read back from the paths through the scales of each panel, so nothing is stored twice.
(() => {
  "use strict";

  const UNITS = {
    bps: [[1e9, "Gbps"], [1e6, "Mbps"], [1e3, "kbps"], [1, "bps"]],
    s: [[1, "s"], [1e-3, "ms"], [1e-6, "µs"], [1e-9, "ns"]],
    "%": [[0.01, "%"]],
  };

  function quantity(value, unit) {
    const prefixes = UNITS[unit] || [[1, unit === "-" ? "" : unit]];
    const size = Math.abs(value);
    const fit = size === 0 ? prefixes.find(([factor]) => factor <= 1) : prefixes.find(([factor]) => size >= factor * 0.9995);
    const [factor, written] = fit || prefixes[prefixes.length - 1];
    const number = Number((value / factor).toPrecision(3)).toLocaleString("en-US", { maximumFractionDigits: 6 });
    return written ? `${number.replaceAll(",", "\u2009")}\u202f${written}` : number;
  }

  // The scale of an axis, and the part of it that is looked at: `from` and `to`, in drawing units.
  function scaleOf(text) {
    const [kind, low, high, start, end, factor, unit] = text.split(" ");
    const [least, most, first, last] = [low, high, start, end].map(Number);
    const value = (position) => {
      const part = (position - first) / (last - first);
      return kind === "log" ? least * (most / least) ** part : least + part * (most - least);
    };
    const position = (number) => {
      const part = kind === "log" ? Math.log(number / least) / Math.log(most / least) : (number - least) / (most - least);
      return first + part * (last - first);
    };
    return { kind, value, position, factor: Number(factor), unit };
  }

  function points(path) {
    if (!path.points) {
      const numbers = path.getAttribute("d").match(/-?\d+(\.\d+)?/g).map(Number);
      path.points = [];
      for (let i = 0; i + 1 < numbers.length; i += 2) path.points.push([numbers[i], numbers[i + 1]]);
    }
    return path.points;
  }

  // The last of the first `count` points that is not right of x.
  function lastBefore(list, count, x) {
    let [low, high] = [0, count - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (list[middle][0] <= x + 0.05) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  function readAt(path, x, up) {
    const list = points(path);
    if (path.dataset.read === "stack") {
      const index = lastBefore(list, list.length / 2, x);
      return up.value(list[index][1]) - up.value(list[list.length - 1 - index][1]);
    }
    const index = lastBefore(list, list.length, x);
    const next = list[Math.min(index + 1, list.length - 1)];
    const nearest = path.dataset.read === "line" && Math.abs(next[0] - x) < Math.abs(list[index][0] - x) ? next : list[index];
    return up.value(nearest[1]);
  }

  function visiblePaper(figure) {
    return [...figure.querySelectorAll(".paper")].find((paper) => paper.getClientRects().length > 0);
  }

  // The panels of a paper. `view` is the part of the panel that is looked at, in drawing units, and all of it at first.
  function panelsOf(paper) {
    return [...paper.querySelectorAll(".panel")].map((panel) => {
      if (!panel.parts) {
        const [left, top, width, height] = panel.dataset.box.split(" ").map(Number);
        const { link, foot } = panel.dataset;
        const box = { left, top, width, height };
        const [across, up] = [scaleOf(panel.dataset.x), scaleOf(panel.dataset.y)];
        panel.parts = { panel, ...box, across, up, link, foot: foot !== undefined, view: { ...box } };
      }
      return panel.parts;
    });
  }

  // From where something is drawn to where it is seen, and back.
  const seenX = ({ left, width, view }, x) => left + ((x - view.left) / view.width) * width;
  const seenY = ({ top, height, view }, y) => top + ((y - view.top) / view.height) * height;
  const drawnX = ({ left, width, view }, x) => view.left + ((x - left) / width) * view.width;
  const drawnY = ({ top, height, view }, y) => view.top + ((y - top) / height) * view.height;
  const contains = (box, x, y) =>
    x >= box.left - 4 && x <= box.left + box.width + 4 && y >= box.top - 4 && y <= box.top + box.height + 4;

  function readOut(figure, head, entries, place) {
    const output = figure.querySelector(".readout");
    output.replaceChildren(
      ...[head, ...entries].map(([label, text]) => {
        const item = document.createElement("span");
        const value = document.createElement("b");
        value.textContent = text;
        item.append(label ? `${label} ` : "", value);
        return item;
      }),
    );
    // Beside what it reads, on the side that has room.
    const paper = visiblePaper(figure);
    const factor = paper.getBoundingClientRect().width / paper.viewBox.baseVal.width;
    const [x, y] = [place.x * factor, place.y * factor];
    const { width, height } = output.getBoundingClientRect();
    const room = paper.getBoundingClientRect().width;
    const left = x + 16 + width <= room ? x + 16 : Math.max(x - 16 - width, 0);
    output.style.left = `${Math.min(left, Math.max(room - width, 0))}px`;
    output.style.top = `${Math.max(y - height - 12, -8)}px`;
  }

  function clear(figure) {
    figure.querySelector(".readout").replaceChildren();
    for (const cursor of document.querySelectorAll(".cursor")) cursor.removeAttribute("d");
    figure.cursor = undefined;
  }

  // A line at the same time in the other figures over time.
  function follow(figure, time) {
    for (const other of document.querySelectorAll("figure")) {
      const paper = other === figure ? undefined : visiblePaper(other);
      if (!paper) continue;
      const linked = panelsOf(paper).filter((each) => each.link === "time");
      const lines = linked.map((each) => [seenX(each, each.across.position(time)), each]);
      const inside = lines.filter(([x, each]) => x >= each.left && x <= each.left + each.width);
      const cursor = paper.querySelector(".cursor");
      if (inside.length) cursor.setAttribute("d", inside.map(([x, each]) => `M${x} ${each.top}v${each.height}`).join(""));
      else cursor.removeAttribute("d");
    }
  }

  function hasLines(panel) {
    return panel.panel.querySelector("[data-series]:not(.off) > path[data-read]") !== null;
  }

  function readLine(figure, paper, x, y) {
    const panels = panelsOf(paper);
    const [first] = panels;
    const at = Math.min(Math.max(x, first.left), first.left + first.width);
    const drawn = drawnX(first, at);
    const labels = new Map([...figure.querySelectorAll(".key")].map((key) => [key.dataset.key, key.textContent.trim()]));
    const found = new Map();
    for (const { panel, up } of panels) {
      for (const path of panel.querySelectorAll("[data-series]:not(.off) > path[data-read]")) {
        const series = path.parentNode.dataset.series;
        found.set(series, [...(found.get(series) || []), quantity(readAt(path, drawn, up), up.unit)]);
      }
    }
    const entries = [...labels].filter(([series]) => found.has(series));
    const time = first.across.value(drawn);
    paper.querySelector(".cursor").setAttribute("d", panels.map((p) => `M${at} ${p.top}v${p.height}`).join(""));
    readOut(figure, ["at", quantity(time, first.across.unit)], entries.map(([series, label]) => {
      return [label, [...new Set(found.get(series))].join(" / ")];
    }), { x: at, y: y === undefined ? first.top + 40 : y });
    if (first.link === "time") follow(figure, time);
    figure.cursor = at;
  }

  function middleOf(mark) {
    if (mark.dataset.at) return mark.dataset.at.split(" ").map(Number);
    const box = mark.getBBox();
    return [box.x + box.width / 2, box.y + box.height / 2];
  }

  // The marks that can be read, at the places where they are seen.
  function pointsOf(paper) {
    return panelsOf(paper).flatMap((panel) =>
      [...panel.panel.querySelectorAll("[data-series]:not(.off) > [data-point]")].map((mark) => {
        const [x, y] = middleOf(mark);
        return { text: mark.dataset.point, x: seenX(panel, x), y: seenY(panel, y), panel, mark };
      }).filter((mark) => contains(panel, mark.x, mark.y)),
    );
  }

  function readPoint(figure, paper, point) {
    const [label, text] = point.text.split(/: (.*)/s);
    paper.querySelector(".cursor").setAttribute("d", `M${point.x - 11} ${point.y}a11 11 0 1 0 22 0a11 11 0 1 0 -22 0`);
    readOut(figure, [label, text === undefined ? "" : text], [], point);
  }

  function placeOf(paper, event) {
    const frame = paper.getBoundingClientRect();
    const factor = paper.viewBox.baseVal.width / frame.width;
    return [(event.clientX - frame.left) * factor, (event.clientY - frame.top) * factor];
  }

  function nearest(marks, x, y) {
    const away = (mark) => Math.hypot(mark.x - x, mark.y - y);
    return marks.reduce((a, b) => (away(a) <= away(b) ? a : b));
  }

  function hover(figure, paper, event) {
    const [x, y] = placeOf(paper, event);
    const marks = pointsOf(paper);
    const lines = panelsOf(paper).some(hasLines);
    const mark = marks.length ? nearest(marks, x, y) : undefined;
    // Where there are lines, too, a mark is read from nearby alone.
    if (mark && (!lines || Math.hypot(mark.x - x, mark.y - y) < NEARBY)) readPoint(figure, paper, mark);
    else if (lines) readLine(figure, paper, x, y);
  }

  function steer(figure, event) {
    const paper = visiblePaper(figure);
    if (event.key === "Escape") {
      clear(figure);
      figure.querySelector(".why .head button:last-child")?.click();
      return;
    }
    if (event.key === "Enter" && event.target.matches(".plot") && figure.querySelector(".why")) {
      event.preventDefault();
      const panel = panelsOf(paper)[0];
      const mark = figure.mark === undefined ? undefined : pointsOf(paper).sort((a, b) => a.x - b.x)[figure.mark];
      if (mark) explainAt(figure, mark.x, mark.y);
      else explainAt(figure, figure.cursor ?? panel.left + panel.width / 2, panel.top + panel.height / 2);
      return;
    }
    const zoom = { "+": 0.5, "=": 0.5, "-": 2, 0: Infinity }[event.key];
    if (zoom !== undefined && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      closer(figure, paper, zoom);
      return;
    }
    const lines = panelsOf(paper).some(hasLines);
    const along = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity }[event.key];
    const between = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    const marks = pointsOf(paper).sort((a, b) => a.x - b.x);
    const step = lines ? between : along;
    if (marks.length && step !== undefined) {
      event.preventDefault();
      const wanted = figure.mark === undefined ? 0 : figure.mark + step;
      figure.mark = Math.min(Math.max(wanted, 0), marks.length - 1);
      readPoint(figure, paper, marks[figure.mark]);
    } else if (lines && along !== undefined) {
      event.preventDefault();
      const [{ left, width }] = panelsOf(paper);
      const from = figure.cursor === undefined ? left + width / 2 : figure.cursor;
      figure.mark = undefined;
      readLine(figure, paper, from + (along * width) / (event.shiftKey ? 400 : 80));
    }
  }

  const LEAST = 1e-4;
  const NEARBY = 14;

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

  // The explanations of the moments of a figure, as `narrows why` gives them; undefined where it has none.
  async function momentsOf(figure) {
    const number = figure.replication ?? figure.querySelector("template[data-moments]")?.dataset.moments;
    const packed = figure.querySelector(`template[data-moments="${number}"]`);
    if (packed && !packed.moments) packed.moments = JSON.parse(await unpacked(packed.dataset.packed));
    return packed?.moments;
  }

  // The flow and the time that a place of a figure stands for: those of a mark nearby, else of the nearest line.
  function momentAt(paper, moments, x, y) {
    const panels = panelsOf(paper);
    const index = Math.max(panels.findIndex((each) => y <= each.top + each.height + 4), 0);
    const panel = panels[index];
    const flows = Object.values(moments.panels[index]);
    const marks = pointsOf(paper).filter((mark) => mark.panel === panel && Math.hypot(mark.x - x, mark.y - y) < NEARBY);
    const at = Math.min(Math.max(x, panel.left), panel.left + panel.width);
    const drawn = drawnX(panel, at);
    if (marks.length) {
      const mark = nearest(marks, x, y);
      const flow = flows.find((each) => mark.text.startsWith(`${each.flow}, `));
      if (flow) return { index, flow, time: panel.across.value(drawnX(panel, mark.x)) };
    }
    const lines = [...panel.panel.querySelectorAll('[data-series]:not(.off) > path.line')];
    const away = (path) => Math.abs(seenY(panel, panel.up.position(readAt(path, drawn, panel.up))) - y);
    const shown = lines.filter((path) => path.parentNode.dataset.series in moments.panels[index]);
    if (!shown.length) return undefined;
    const line = shown.reduce((a, b) => (away(a) <= away(b) ? a : b));
    return { index, flow: moments.panels[index][line.parentNode.dataset.series], time: panel.across.value(drawn) };
  }

  async function explainAt(figure, x, y) {
    const moments = await momentsOf(figure);
    const found = moments && momentAt(visiblePaper(figure), moments, x, y);
    if (found) explain(figure, moments, found);
  }

  function html(name, attributes, ...children) {
    const node = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (typeof value === "function") node.addEventListener(key, value);
      else if (value !== undefined && value !== false) node.setAttribute(key, value);
    }
    node.append(...children);
    return node;
  }

  // Says below a figure what happened to a flow around a moment, in the words of `narrows why`.
  function explain(figure, moments, { index, flow, time }) {
    const distance = ([at]) => Math.abs(at - time);
    const near = flow.changes.reduce((a, b) => (a && distance(a) <= distance(b) ? a : b), undefined);
    const explained = near !== undefined && distance(near) <= moments.reach_s;
    const at = explained ? near[0] : time;
    const lines = explained
      ? near[3]
      : flow.events.filter(([start, end]) => end >= time - moments.reach_s && start <= time + moments.reach_s)
        .map(([start, , text]) => [start, text]);
    const go = (change) => change && explain(figure, moments, { index, flow, time: change[0] });
    const earlier = flow.changes.findLast(([each]) => each < at);
    const later = flow.changes.find(([each]) => each > at);
    const step = (label, change) => html("button", { type: "button", class: "tool", click: () => {
      go(change);
      figure.querySelector(`.why [data-step="${label}"]`)?.focus();
    }, disabled: change ? undefined : "", "data-step": label }, label);
    const panelName = panelsOf(visiblePaper(figure))[index].panel.dataset.title;
    const flows = Object.values(moments.panels[index]);
    const choice = html("select", { "aria-label": "Flow", change: () => explain(figure, moments, { index, flow: flows[choice.selectedIndex], time }) },
      ...flows.map((each) => new Option(each.flow, each.flow, false, each === flow)));
    const box = figure.querySelector(".why");
    const close = () => {
      box.hidden = true;
      for (const mark of figure.querySelectorAll(".moment")) mark.remove();
    };
    box.replaceChildren(
      html("div", { class: "head" },
        html("span", { class: "when" }, panelName ? `${panelName}: ` : "", flows.length > 1 ? choice : html("b", {}, flow.flow), ` around ${at.toFixed(4)}\u202fs`),
        html("span", { class: "steps" },
          step("Earlier change", earlier), step("Later change", later),
          html("button", { type: "button", class: "tool", click: close, "aria-label": "Close the explanation" }, "Close"))),
      html("p", { class: "said" }, explained ? near[1] : flow.nothing + (near ? near[2] : "")),
      html("ol", {}, ...lines.map(([start, text]) => html("li", {}, html("span", { class: "stamp" }, `${start.toFixed(4)}\u202fs`), html("span", {}, text)))),
      ...(flow.left_out ? [html("p", { class: "note" }, `The ${flow.changes.length} deepest changes of this window are explained here, ${flow.left_out} are not; the command explains every one.`)] : []),
      html("p", { class: "note" }, "In this folder: ", html("code", {}, `${flow.command} --at ${at.toFixed(4)}s`)),
    );
    box.hidden = false;
    point(figure, index, at);
  }

  // Marks the moment that is explained.
  function point(figure, index, time) {
    for (const mark of figure.querySelectorAll(".moment")) mark.remove();
    for (const paper of figure.querySelectorAll(".paper")) {
      const panel = panelsOf(paper)[index];
      const x = panel.across.position(time);
      const inside = panel.panel.querySelector(":scope > svg.inside");
      inside?.append(make("path", { class: "moment", d: `M${x} ${panel.top}v${panel.height}` }));
    }
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
    const label = (value, factor) => Number((value / factor).toPrecision(8)).toLocaleString("en-US", { maximumFractionDigits: 9 }).replaceAll(",", "\u2009").replace("-", "\u2212");
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

  const KEPT = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "stroke-linejoin",
    "opacity", "vector-effect", "font-family", "font-size", "font-weight", "text-anchor"];

  // A copy that needs no style sheet: what the browser computed becomes attributes.
  function settled(original) {
    const copy = original.cloneNode(true);
    const [before, after] = [original, copy].map((node) => [node, ...node.querySelectorAll("*")]);
    before.forEach((node, index) => {
      const style = getComputedStyle(node);
      if (style.display === "none" || node.matches(".cursor, .moment")) {
        after[index].dataset.drop = "";
      } else if (["path", "rect", "text", "tspan"].includes(node.localName)) {
        for (const name of KEPT) after[index].setAttribute(name, style.getPropertyValue(name));
      }
    });
    for (const node of after) {
      if ("drop" in node.dataset) node.remove();
      for (const name of node.getAttributeNames()) {
        if (name === "class" || name.startsWith("data-")) node.removeAttribute(name);
      }
    }
    return copy;
  }

  function make(name, attributes, text) {
    const node = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    if (text !== undefined) node.textContent = text;
    return node;
  }

  function standalone(figure) {
    const paper = visiblePaper(figure);
    const { width, height } = paper.viewBox.baseVal;
    const ink = getComputedStyle(document.body);
    const font = { "font-family": ink.fontFamily, fill: ink.color };
    const measure = document.createElement("canvas").getContext("2d");
    measure.font = `12px ${ink.fontFamily}`;
    const head = make("g", {});
    head.append(make("text", { ...font, x: 12, y: 26, "font-size": 16, "font-weight": 600 }, figure.dataset.title));
    let [x, y] = [12, 50];
    for (const key of figure.querySelectorAll(".key[aria-pressed=true]")) {
      const label = key.textContent.trim();
      const needs = 36 + measure.measureText(label).width + 18;
      if (x > 12 && x + needs > width) [x, y] = [12, y + 20];
      const sample = make("g", { transform: `translate(${x} ${y - 10})` });
      sample.append(...settled(key.querySelector("svg")).childNodes);
      head.append(sample, make("text", { ...font, x: x + 36, y, "font-size": 12 }, label));
      x += needs;
    }
    const top = y + 14;
    const copy = settled(paper);
    const frame = { x: 0, y: -top, width, height: height + top };
    copy.setAttribute("viewBox", Object.values(frame).join(" "));
    copy.setAttribute("width", width);
    copy.setAttribute("height", frame.height);
    copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    head.setAttribute("transform", `translate(0 ${-top})`);
    copy.querySelector("desc").after(make("rect", { ...frame, fill: ink.backgroundColor }), head);
    return { text: new XMLSerializer().serializeToString(copy), width, height: frame.height };
  }

  function download(blob, name) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  async function savePng(figure) {
    const { text, width, height } = standalone(figure);
    const image = new Image();
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [Math.round(width * 3), Math.round(height * 3)];
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => download(blob, `${figure.dataset.name}.png`), "image/png");
  }

  function saveSvg(figure) {
    download(new Blob([standalone(figure).text], { type: "image/svg+xml" }), `${figure.dataset.name}.svg`);
  }

  // Hides the series of an entry of the legend, or shows it, as the entry says.
  function hide(figure, key) {
    for (const series of figure.querySelectorAll("[data-series]")) {
      if (series.dataset.series === key.dataset.key) series.classList.toggle("off", key.getAttribute("aria-pressed") === "false");
    }
  }

  function bringAlive(figure) {
    const plot = figure.querySelector(".plot");
    plot.tabIndex = 0;
    plot.setAttribute("role", "group");
    const explains = figure.querySelector(".why") ? ", Enter says what happened" : "";
    const keys = `arrow keys read values, plus and minus zoom, 0 shows all${explains}`;
    plot.setAttribute("aria-label", `${figure.dataset.title}: ${keys}`);
    plot.addEventListener("keydown", (event) => steer(figure, event));
    plot.addEventListener("blur", () => clear(figure));
    plot.addEventListener("pointermove", (event) => hover(figure, visiblePaper(figure), event));
    plot.addEventListener("pointerdown", (event) => hover(figure, visiblePaper(figure), event));
    plot.addEventListener("pointerleave", () => clear(figure));
    bringZoom(figure, plot);
    plot.addEventListener("click", (event) => {
      if (figure.querySelector(".why")) {
        const dragged = figure.dragged;
        figure.dragged = false;
        if (!dragged) explainAt(figure, ...placeOf(visiblePaper(figure), event));
        return;
      }
      const name = event.target.closest?.("g[data-series]")?.querySelector("[data-opens]")?.dataset.opens;
      const part = name && document.getElementById(name);
      if (!part) return;
      part.open = true;
      part.scrollIntoView({ block: "start" });
    });
    figure.querySelector("[data-reset]")?.addEventListener("click", () => whole(figure, visiblePaper(figure)));
    for (const key of figure.querySelectorAll(".key")) {
      key.addEventListener("click", () => {
        key.setAttribute("aria-pressed", String(key.getAttribute("aria-pressed") !== "true"));
        hide(figure, key);
      });
    }
    for (const tool of figure.querySelectorAll("[data-save]")) {
      tool.hidden = false;
      tool.addEventListener("click", () => (tool.dataset.save === "svg" ? saveSvg(figure) : savePng(figure)));
    }
  }

  async function unpacked(text) {
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    return new Response(stream).text();
  }

  // Draws another replication in place of the one that is shown.
  async function showReplication(figure, number) {
    const packed = figure.querySelector(`template[data-replication="${number}"]`);
    if (!packed) return;
    const drawn = document.createElement("template");
    drawn.innerHTML = await unpacked(packed.dataset.packed);
    clear(figure);
    figure.querySelector(".plot").replaceChildren(drawn.content);
    figure.replication = number;
    if (figure.querySelector(".why")) figure.querySelector(".why").hidden = true;
    figure.querySelector("[data-reset]").hidden = true;
    for (const key of figure.querySelectorAll(".key[aria-pressed=false]")) hide(figure, key);
    for (const text of figure.querySelectorAll("figcaption p")) {
      text.textContent = text.textContent.replace(/Replication \d+ of/, `Replication ${number + 1} of`);
    }
  }

  // A menu of the replications whose course over time can be shown.
  function bringReplications(choice) {
    const all = [...document.querySelectorAll("template[data-replication]")].map((each) => Number(each.dataset.replication));
    const numbers = [...new Set(all)].sort((a, b) => a - b);
    if (numbers.length < 2) return;
    const label = document.createElement("label");
    const menu = document.createElement("select");
    for (const number of numbers) menu.append(new Option(`replication ${number + 1}`, number));
    menu.addEventListener("change", () => {
      for (const figure of document.querySelectorAll("figure")) showReplication(figure, Number(menu.value));
    });
    label.append("Over time: ", menu);
    choice.append(label);
  }

  function bringFilters(filters) {
    filters.hidden = false;
    for (const key of filters.querySelectorAll(".key")) {
      key.addEventListener("click", () => {
        const hide = key.getAttribute("aria-pressed") === "true";
        key.setAttribute("aria-pressed", String(!hide));
        for (const claim of document.querySelectorAll("article[data-verdict]")) {
          if (claim.dataset.verdict === key.dataset.verdict) claim.hidden = hide;
        }
      });
    }
  }

  function bringThemes(button) {
    const root = document.documentElement;
    const system = matchMedia("(prefers-color-scheme: dark)");
    const dark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
    // The button says what a press on it leads to.
    const show = () => (button.textContent = dark() ? "Light" : "Dark");
    button.hidden = false;
    button.addEventListener("click", () => {
      root.dataset.theme = dark() ? "light" : "dark";
      show();
    });
    system.addEventListener("change", show);
    show();
  }

  // A table that is wider than the page says so, and at its right end where it began.
  function bringHints(table) {
    const show = () => {
      const hidden = table.scrollWidth - table.clientWidth;
      if (hidden <= 1) delete table.dataset.more;
      else table.dataset.more = table.scrollLeft < hidden - 1 ? "right" : "left";
    };
    table.addEventListener("scroll", show, { passive: true });
    addEventListener("resize", show);
    table.closest("details")?.addEventListener("toggle", show);
    show();
  }

  // A click on a heading sorts the rows of a table by that column: numbers by value, the greatest first.
  function bringSorting(table) {
    const heads = [...table.tHead.rows[0].cells];
    const valueOf = (row, place) => {
      const cell = row.cells[place];
      const number = Number(cell.querySelector("data")?.value ?? (cell.textContent.trim() || NaN));
      return Number.isNaN(number) ? cell.textContent.trim() : number;
    };
    const after = (a, b) => (typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b)));
    heads.forEach((head, place) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = head.textContent;
      head.replaceChildren(button);
      button.addEventListener("click", () => {
        const up = head.ariaSort === "descending";
        for (const each of heads) each.ariaSort = "none";
        head.ariaSort = up ? "ascending" : "descending";
        const rows = [...table.tBodies[0].rows];
        rows.sort((a, b) => (up ? 1 : -1) * after(valueOf(a, place), valueOf(b, place)));
        table.tBodies[0].append(...rows);
      });
    });
  }

  function bringSource(source) {
    const text = () => source.querySelector("pre").textContent;
    const [copy, keep] = [source.querySelector("[data-copy]"), source.querySelector("[data-keep]")];
    keep.hidden = false;
    keep.addEventListener("click", () => download(new Blob([text()], { type: "text/plain" }), keep.dataset.keep));
    // Browsers have no clipboard for some pages that were opened from a disk.
    copy.hidden = !navigator.clipboard;
    copy.addEventListener("click", async () => {
      await navigator.clipboard.writeText(text());
      copy.textContent = "Copied";
    });
  }

  document.querySelectorAll("figure").forEach(bringAlive);
  document.querySelectorAll(".choice").forEach(bringReplications);
  document.querySelectorAll(".source").forEach(bringSource);
  document.querySelectorAll(".scroll").forEach(bringHints);
  document.querySelectorAll(".sortable").forEach(bringSorting);
  document.querySelectorAll(".filters").forEach(bringFilters);
  bringThemes(document.querySelector(".theme"));
})();
