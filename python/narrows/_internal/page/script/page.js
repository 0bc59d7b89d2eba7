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

function copySelected(element) {
  getSelection().selectAllChildren(element);
  return document.execCommand("copy");
}

function bringSource(source) {
  const text = () => source.querySelector("pre").textContent;
  const [copy, keep] = [source.querySelector("[data-copy]"), source.querySelector("[data-keep]")];
  keep.hidden = false;
  keep.addEventListener("click", () => download(new Blob([text()], { type: "text/plain" }), keep.dataset.keep));
  copy.hidden = false;
  copy.addEventListener("click", async () => {
    // Browsers have no clipboard, or none that they permit, for some pages that were opened from a disk.
    const copied = await navigator.clipboard?.writeText(text()).then(() => true, () => false);
    copy.textContent = copied || copySelected(source.querySelector("pre")) ? "Copied" : "Selected";
  });
}

document.querySelectorAll("figure").forEach(bringAlive);
document.querySelectorAll(".choice").forEach(bringReplications);
document.querySelectorAll(".source").forEach(bringSource);
document.querySelectorAll(".scroll").forEach(bringHints);
document.querySelectorAll(".sortable").forEach(bringSorting);
document.querySelectorAll(".filters").forEach(bringFilters);
bringThemes(document.querySelector(".theme"));
