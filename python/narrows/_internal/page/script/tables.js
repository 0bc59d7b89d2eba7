// SPDX-License-Identifier: Apache-2.0
// Tables: filters, hints of hidden columns, sorting.

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
