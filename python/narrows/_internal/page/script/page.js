// SPDX-License-Identifier: Apache-2.0
// The page: the theme, sources to copy or save, and the start of all parts.

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
