// SPDX-License-Identifier: Apache-2.0
// The scales of panels: values are read back from the drawn paths, so nothing is stored twice.

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
  return written ? `${number.replaceAll(",", "\u202f")}\u202f${written}` : number;
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
