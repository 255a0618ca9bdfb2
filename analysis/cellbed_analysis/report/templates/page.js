// SPDX-License-Identifier: GPL-2.0-or-later
// Writes each column's title into its cells, which a narrow page shows as a card for each row of a table.
"use strict";
for (const table of document.querySelectorAll(".scroll > table")) {
  const titles = [...(table.tHead?.rows[table.tHead.rows.length - 1]?.cells ?? [])].map((head) => head.textContent.trim());
  const rows = [...table.tBodies].flatMap((body) => [...body.rows]);
  if (!titles.length || rows.some((row) => row.cells.length !== titles.length || [...row.cells].some((c) => c.colSpan > 1)))
    continue;
  for (const row of rows)
    [...row.cells].forEach((cell, i) => { cell.dataset.title = titles[i]; });
  table.classList.add("cards");
}
