// SPDX-License-Identifier: Apache-2.0
// Values at the pointer and at the keyboard's cursor.

// Distance at which a mark is read, in drawing units.
const NEARBY = 14;

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
