// SPDX-License-Identifier: GPL-2.0-or-later
// Puts what `updates` tells into the charts and tables of the live page.
"use strict";
(() => {
  const at = (id) => document.getElementById(id);
  let source = null, waiting = [], another = true;

  function find() {
    for (const root of Bokeh.index.roots)
      for (const model of root.model.references())
        if (model.name === "live")
          return model;
    return null;
  }

  function append(message) {
    another ||= message.new;
    for (const [name, values] of Object.entries(message.points))
      message.points[name] = values.map((value) => value ?? NaN);
    if (message.points.t.length && another)
      source.data = message.points;
    else if (message.points.t.length)
      source.stream(message.points, HISTORY);
    another &&= !message.points.t.length;
  }

  const text = (value) => value === null || value === undefined ? "" :
    typeof value === "number" && !Number.isInteger(value) ? value.toPrecision(4) : String(value);

  function fill(id, rows, numbersFrom) {
    at(id).tBodies[0].replaceChildren(...rows.map((cells) => {
      const row = document.createElement("tr");
      cells.forEach((value, index) => {
        const cell = row.insertCell();
        cell.textContent = text(value);
        cell.className = index >= numbersFrom ? "n" : "";
      });
      return row;
    }));
  }

  function show(now) {
    at("run").textContent = now.run;
    at("about").textContent = `${now.scenario}, ${now.lab} lab, seed ${now.seed}: ${now.t.toFixed(1)} s of traffic`;
    at("state").textContent = now.ended ?? "running";
    at("state").className = `tag ${now.ended === null ? "differs" : now.ended.startsWith("valid") ? "valid" : "invalid"}`;
    fill("connections", now.connections.map((c) => [c.name, c.cwnd, c.ssthresh, c.srtt_ms, c.flight, c.retransmissions,
                                                    c.timeouts, c.mbps]), 1);
    fill("channels", now.channels.map((l) => [`${l.ue} ${l.direction}`, l.mode, l.cqi, l.sinr_db, l.mcs, l.queue_bytes, l.queue_pkts,
                                      l.sn]), 2);
    at("counts").textContent = [...Object.entries(now.counts), ...Object.entries(now.drops)]
      .map(([words, n]) => `${words} ${n}`).join(" · ");
    fill("events", now.events.slice(-20).reverse().map(([t, words]) => [t.toFixed(3), words]), 9);
  }

  function take(message) {
    source ??= find();
    waiting.push(message);
    if (source) {
      waiting.forEach(append);
      waiting = [];
    }
    show(message.now);
  }

  const updates = new EventSource("updates");
  updates.onmessage = (event) => take(JSON.parse(event.data));
  updates.onerror = () => {
    updates.close();
    at("state").textContent = at("state").textContent === "running" ? "cellbed watch has ended" : at("state").textContent;
  };
})();
