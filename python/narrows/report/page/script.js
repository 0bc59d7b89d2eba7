// What the page adds where scripts run: theme, legends that hide series, a read-out of values, saving figures.
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

  function scaleOf(text) {
    const [kind, low, high, start, end, unit] = text.split(" ");
    const [from, to, first, last] = [low, high, start, end].map(Number);
    const value = (position) => {
      const part = (position - first) / (last - first);
      return kind === "log" ? from * (to / from) ** part : from + part * (to - from);
    };
    return { value, unit };
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

  function panelsOf(paper) {
    return [...paper.querySelectorAll(".panel")].map((panel) => {
      const [left, top, width, height] = panel.dataset.box.split(" ").map(Number);
      return { panel, left, top, width, height, across: scaleOf(panel.dataset.x), up: scaleOf(panel.dataset.y) };
    });
  }

  function readOut(figure, head, entries) {
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
  }

  function clear(figure) {
    figure.querySelector(".readout").replaceChildren();
    for (const cursor of figure.querySelectorAll(".cursor")) cursor.removeAttribute("d");
    figure.cursor = undefined;
  }

  function readLine(figure, paper, x) {
    const panels = panelsOf(paper);
    const { left, width, across } = panels[0];
    const at = Math.min(Math.max(x, left), left + width);
    const labels = new Map([...figure.querySelectorAll(".key")].map((key) => [key.dataset.key, key.textContent.trim()]));
    const found = new Map();
    for (const { panel, up } of panels) {
      for (const path of panel.querySelectorAll("[data-series]:not(.off) > path[data-read]")) {
        const series = path.parentNode.dataset.series;
        found.set(series, [...(found.get(series) || []), quantity(readAt(path, at, up), up.unit)]);
      }
    }
    const entries = [...labels].filter(([series]) => found.has(series));
    readOut(figure, ["at", quantity(across.value(at), across.unit)], entries.map(([series, label]) => {
      return [label, [...new Set(found.get(series))].join(" / ")];
    }));
    paper.querySelector(".cursor").setAttribute("d", panels.map((p) => `M${at} ${p.top}v${p.height}`).join(""));
    figure.cursor = at;
  }

  function pointsOf(paper) {
    return [...paper.querySelectorAll("[data-series]:not(.off) > [data-point]")].map((mark) => {
      const box = mark.getBBox();
      return { text: mark.dataset.point, x: box.x + box.width / 2, y: box.y + box.height / 2 };
    });
  }

  function readPoint(figure, paper, point) {
    const [label, text] = point.text.split(/: (.*)/s);
    readOut(figure, [label, text], []);
    paper.querySelector(".cursor").setAttribute("d", `M${point.x - 11} ${point.y}a11 11 0 1 0 22 0a11 11 0 1 0 -22 0`);
  }

  function hover(figure, paper, event) {
    const frame = paper.getBoundingClientRect();
    const factor = paper.viewBox.baseVal.width / frame.width;
    const [x, y] = [(event.clientX - frame.left) * factor, (event.clientY - frame.top) * factor];
    const marks = pointsOf(paper);
    if (!marks.length) {
      readLine(figure, paper, x);
      return;
    }
    readPoint(figure, paper, marks.reduce((a, b) => (Math.hypot(a.x - x, a.y - y) <= Math.hypot(b.x - x, b.y - y) ? a : b)));
  }

  function steer(figure, event) {
    const paper = visiblePaper(figure);
    const step = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity }[event.key];
    if (event.key === "Escape") clear(figure);
    if (step === undefined) return;
    event.preventDefault();
    const marks = pointsOf(paper);
    if (marks.length) {
      const wanted = figure.cursor === undefined ? 0 : figure.cursor + step;
      figure.cursor = Math.min(Math.max(wanted, 0), marks.length - 1);
      readPoint(figure, paper, marks[figure.cursor]);
      return;
    }
    const [{ left, width }] = panelsOf(paper);
    const from = figure.cursor === undefined ? left + width / 2 : figure.cursor;
    readLine(figure, paper, from + (step * width) / (event.shiftKey ? 400 : 80));
  }

  const KEPT = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "stroke-linejoin",
    "opacity", "font-family", "font-size", "font-weight", "text-anchor"];

  // A copy that needs no style sheet: what the browser computed becomes attributes.
  function settled(original) {
    const copy = original.cloneNode(true);
    const [before, after] = [original, copy].map((node) => [node, ...node.querySelectorAll("*")]);
    before.forEach((node, index) => {
      const style = getComputedStyle(node);
      if (style.display === "none" || node.classList.contains("cursor")) {
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
    [canvas.width, canvas.height] = [Math.round(width * 2), Math.round(height * 2)];
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => download(blob, `${figure.dataset.name}.png`), "image/png");
  }

  function saveSvg(figure) {
    download(new Blob([standalone(figure).text], { type: "image/svg+xml" }), `${figure.dataset.name}.svg`);
  }

  function bringAlive(figure) {
    const plot = figure.querySelector(".plot");
    plot.tabIndex = 0;
    plot.setAttribute("role", "group");
    plot.setAttribute("aria-label", `${figure.dataset.title}: left and right arrow keys read values`);
    plot.addEventListener("keydown", (event) => steer(figure, event));
    plot.addEventListener("blur", () => clear(figure));
    for (const paper of figure.querySelectorAll(".paper")) {
      paper.addEventListener("pointermove", (event) => hover(figure, paper, event));
      paper.addEventListener("pointerdown", (event) => hover(figure, paper, event));
      paper.addEventListener("pointerleave", () => clear(figure));
    }
    for (const key of figure.querySelectorAll(".key")) {
      key.addEventListener("click", () => {
        const hide = key.getAttribute("aria-pressed") === "true";
        key.setAttribute("aria-pressed", String(!hide));
        for (const series of figure.querySelectorAll("[data-series]")) {
          if (series.dataset.series === key.dataset.key) series.classList.toggle("off", hide);
        }
      });
    }
    for (const tool of figure.querySelectorAll("[data-save]")) {
      tool.hidden = false;
      tool.addEventListener("click", () => (tool.dataset.save === "svg" ? saveSvg(figure) : savePng(figure)));
    }
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
  document.querySelectorAll(".source").forEach(bringSource);
  document.querySelectorAll(".scroll").forEach(bringHints);
  document.querySelectorAll(".filters").forEach(bringFilters);
  bringThemes(document.querySelector(".theme"));
})();
