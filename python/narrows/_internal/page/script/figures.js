// SPDX-License-Identifier: Apache-2.0
// Figures: legends that hide series, buttons, and the choice of a replication.

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
  for (const tool of figure.querySelectorAll("[data-command]")) {
    tool.hidden = false;
    tool.addEventListener("click", () => copyCommand(figure, tool));
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
  // What happened in another replication is another caption.
  figure.querySelector("figcaption p").textContent = packed.dataset.caption;
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
