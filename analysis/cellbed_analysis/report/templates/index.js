// SPDX-License-Identifier: GPL-2.0-or-later
// Sorts the list by a column, and shows the runs that have all words asked for.
"use strict";
(() => {
  document.documentElement.classList.add("scripted");
  const body = document.querySelector("#runs tbody"), heads = [...document.querySelectorAll("#runs th")];
  const cell = (row, column) => row.cells[column].textContent.trim();

  function sort(head) {
    const column = heads.indexOf(head), down = head.getAttribute("aria-sort") === "ascending";
    heads.forEach((other) => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const compare = (a, b) => {
      const x = cell(a, column), y = cell(b, column);
      if (x === "" || y === "")
        return (x === "") - (y === "");
      return (down ? -1 : 1) * x.localeCompare(y, "en", {numeric: true});
    };
    body.append(...[...body.rows].sort(compare));
  }

  const search = document.getElementById("wanted"), shown = document.getElementById("shown");
  function filter() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const row of body.rows) {
      row.hidden = !words.every((word) => row.textContent.toLowerCase().includes(word));
      count += !row.hidden;
    }
    shown.textContent = words.length ? `${count} of ${body.rows.length}` : "";
  }

  for (const head of heads.filter((head) => "sort" in head.dataset))
    head.addEventListener("click", () => sort(head));
  search.addEventListener("input", filter);
})();
