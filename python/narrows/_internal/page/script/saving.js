// SPDX-License-Identifier: Apache-2.0
// Saving figures as SVG and PNG, and the command that writes them as PDF, which a page cannot.

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

// The folder of this page as a shell reads it, where it was opened from a disk.
function pageFolder() {
  if (location.protocol !== "file:") return ".";
  const folder = decodeURIComponent(location.pathname).replace(/\/[^/]*$/, "") || "/";
  return /^[\w./-]+$/.test(folder) ? folder : `'${folder.replaceAll("'", "'\\''")}'`;
}

async function copyCommand(figure, tool) {
  const about = figure.querySelector("details.about");
  const command = `narrows figure ${pageFolder()} ${tool.dataset.command}`;
  about.querySelector(".paper-file code").textContent = command;
  try {
    await navigator.clipboard.writeText(command);
    tool.textContent = "Copied";
    setTimeout(() => (tool.textContent = "PDF"), 2000);
  } catch {
    // Without a clipboard the command is shown.
    about.open = true;
    getSelection().selectAllChildren(about.querySelector(".paper-file code"));
  }
}
