// SPDX-License-Identifier: GPL-2.0-or-later
// Draws the page's figures with BokehJS: each when it comes near the view, as all of them would take seconds.
"use strict";
(() => {
  document.documentElement.classList.add("scripted");
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const drawn = [];
  // Series that are hard to see on a dark page.
  const brighter = {"#0072B2": "#4FA8DC", "#7F7F7F": "#A8A8A8", "#D55E00": "#FF8A3D"};
  const darker = Object.fromEntries(Object.entries(brighter).map(([light, bright]) => [bright, light]));

  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  function styleOf(model) {
    const ink = colour("--ink"), faint = colour("--faint"), line = colour("--line");
    if (model.type.endsWith("Axis"))
      return {axis_label_text_color: ink, axis_label_text_font_style: "normal", major_label_text_color: faint,
              axis_line_color: line, major_tick_line_color: line};
    if (model.type === "Grid")
      return {grid_line_color: line};
    if (model.type === "Legend")
      return {label_text_color: ink, inactive_fill_color: colour("--card")};
    return {};
  }

  function paint(model) {
    model.setv(styleOf(model));
    const swap = dark.matches ? brighter : darker;
    for (const name of ["line_color", "fill_color", "hatch_color"]) {
      const value = model[name];
      const at = value && typeof value === "object" && "value" in value ? value.value : value;
      if (typeof at === "string" && swap[at.toUpperCase()])
        model[name] = typeof value === "object" ? {value: swap[at.toUpperCase()]} : swap[at.toUpperCase()];
    }
  }

  const paintAll = () => drawn.forEach((root) => root.references().forEach(paint));

  // Shows another metric in a figure of a sweep.
  function choose(root, select) {
    const index = select.value, label = select.selectedOptions[0].text;
    for (const model of root.references()) {
      if (model.type === "ColumnDataSource") {
        const data = {...model.data};
        for (const name of ["mean", "low", "high", "value"])
          if (`${name}_${index}` in data) data[name] = data[`${name}_${index}`];
        model.data = data;
      } else if (model.type === "LinearAxis" && model.tags.includes("metric")) {
        model.axis_label = label;
      }
    }
  }

  async function draw(place) {
    const item = JSON.parse(document.getElementById(`${place.id}-data`).textContent);
    const views = await Bokeh.embed.embed_item(item);
    const root = views.roots[0].model;
    drawn.push(root);
    root.references().forEach(paint);
    const select = document.querySelector(`select[data-figure="${place.id}"]`);
    if (select)
      select.addEventListener("change", () => choose(root, select));
    place.dataset.drawn = "yes";
  }

  const begin = (place) => {
    if (!place.dataset.drawn) {
      place.dataset.drawn = "begun";
      draw(place);
    }
  };
  // In a closed <details> nothing is near the view.
  const near = new IntersectionObserver((entries) => {
    for (const entry of entries.filter((one) => one.isIntersecting)) {
      near.unobserve(entry.target);
      begin(entry.target);
    }
  }, {rootMargin: "300px"});
  document.querySelectorAll(".plot").forEach((place) => near.observe(place));
  dark.addEventListener("change", paintAll);
})();
