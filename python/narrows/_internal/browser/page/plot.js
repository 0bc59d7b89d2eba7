// SPDX-License-Identifier: Apache-2.0
// Panels of lines over one time axis, drawn on a canvas.
class Plot {
  constructor(canvas, readout) {
    Object.assign(this, { canvas, readout, panels: [], end: 1, warmup: 0, at: null });
    canvas.addEventListener("pointermove", (event) => this.point(event.clientX));
    canvas.addEventListener("pointerleave", () => this.read(null));
    canvas.addEventListener("keydown", (event) => this.step(event));
    new ResizeObserver(() => this.draw()).observe(canvas);
  }

  // `panels`: `{ title, unit, top, lines: [{ label, colour, dash, times, values }] }`; `top` is the end of its scale.
  set(panels, end, warmup) {
    Object.assign(this, { panels, end, warmup });
    if (this.at !== null) this.at = Math.min(this.at, end);
    this.draw();
  }

  point(x) {
    const { left, width } = this.canvas.getBoundingClientRect();
    const part = (x - left - MARGIN.left) / (width - MARGIN.left - MARGIN.right);
    this.read(Math.min(Math.max(part, 0), 1) * this.end);
  }

  step(event) {
    const steps = { ArrowLeft: -0.01, ArrowRight: 0.01 };
    if (!(event.key in steps)) return;
    event.preventDefault();
    const from = this.at === null ? this.end / 2 : this.at;
    this.read(Math.min(Math.max(from + steps[event.key] * this.end, 0), this.end));
  }

  read(at) {
    this.at = at;
    this.draw();
    if (at === null) {
      this.readout.textContent = "";
      return;
    }
    const parts = this.panels.map(({ title, unit, lines }) => {
      const values = lines.slice(0, LISTED).map(({ times, values }) => shown(values[nearest(times, at)], unit));
      return `${title} ${values.join(" / ")}`;
    });
    this.readout.textContent = [`at ${shown(at, "s")}`, ...parts].join(" · ");
  }

  draw() {
    const { canvas } = this;
    const { clientWidth: width, clientHeight: height } = canvas;
    const ratio = window.devicePixelRatio || 1;
    if (!width || !this.panels.length) return;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    const context = canvas.getContext("2d");
    context.scale(ratio, ratio);
    const style = getComputedStyle(canvas);
    const colour = (name) => style.getPropertyValue(name).trim();
    context.font = `12px ${style.fontFamily}`;
    const paper = { context, colour, left: MARGIN.left, right: width - MARGIN.right };
    const tall = (height - MARGIN.bottom) / this.panels.length;
    this.panels.forEach((panel, place) => {
      this.panel(paper, panel, place * tall + MARGIN.top, (place + 1) * tall - MARGIN.between);
    });
    this.axis(paper, height);
    if (this.at !== null) {
      const x = this.across(paper, this.at);
      line(context, colour("--soft"), [2, 2], [[x, MARGIN.top], [x, height - MARGIN.bottom]]);
    }
  }

  across({ left, right }, time) {
    return left + (time / this.end) * (right - left);
  }

  panel(paper, { title, unit, top, lines }, high, low) {
    const { context, colour, left, right } = paper;
    const up = (value) => low - (value / top) * (low - high);
    context.fillStyle = colour("--shade");
    context.fillRect(left, high, this.across(paper, this.warmup) - left, low - high);
    const ticks = ticksTo(top, Math.max(2, Math.floor((low - high) / 34)));
    const size = (READ[unit] || [[1, ""]]).find(([each]) => top >= each * 0.9995) || [1, ""];
    context.textBaseline = "middle";
    context.textAlign = "right";
    for (const tick of ticks) {
      line(context, colour(tick ? "--grid" : "--soft"), [], [[left, up(tick)], [right, up(tick)]]);
      context.fillStyle = colour("--soft");
      context.fillText(String(rounded(tick / size[0])), left - 6, up(tick));
    }
    context.textAlign = "left";
    context.textBaseline = "alphabetic";
    context.fillStyle = colour("--ink");
    context.fillText(size[1] ? `${title}, ${size[1]}` : title, left, high - 7);
    context.save();
    context.beginPath();
    context.rect(left, high - 1, right - left, low - high + 2);
    context.clip();
    for (const each of lines) {
      const points = [];
      for (let i = 0; i < each.times.length; i += 1) {
        const value = each.values[i];
        points.push(Number.isFinite(value) ? [this.across(paper, each.times[i]), up(value)] : null);
      }
      line(context, colour(each.colour), each.dash, points, each.width);
    }
    context.restore();
  }

  axis(paper, height) {
    const { context, colour, left, right } = paper;
    context.fillStyle = colour("--soft");
    context.textAlign = "center";
    const y = height - MARGIN.bottom + 16;
    for (const tick of ticksTo(this.end, Math.max(2, Math.floor((right - left) / 80)))) {
      if (tick < this.end * 0.97) context.fillText(String(rounded(tick)), this.across(paper, tick), y);
    }
    context.textAlign = "right";
    context.fillText(`${rounded(this.end)} s`, right, y);
  }
}

// A line through points; null interrupts it.
function line(context, colour, dash, points, width = 1) {
  context.strokeStyle = colour;
  context.lineWidth = width;
  context.setLineDash(dash);
  context.beginPath();
  let down = false;
  for (const point of points) {
    if (point && down) context.lineTo(...point);
    else if (point) context.moveTo(...point);
    down = point !== null;
  }
  context.stroke();
  context.setLineDash([]);
}

// Round numbers from 0 to `top`, about `count`.
function ticksTo(top, count) {
  const rough = top / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough * 0.999);
  return Array.from({ length: Math.floor(top / step + 1e-9) + 1 }, (_, i) => i * step);
}

// The index of the last of the ascending `times` that is not after `at`, or of the first.
function nearest(times, at) {
  let [low, high] = [0, times.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (times[middle] <= at) low = middle;
    else high = middle - 1;
  }
  return low;
}

const MARGIN = { left: 46, right: 10, top: 24, bottom: 24, between: 8 };
// Values of so many lines fit into the readout.
const LISTED = 6;
