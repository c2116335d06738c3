// The charts, drawn as SVG in the colours of the page.
"use strict";
const report = JSON.parse(document.getElementById("data").textContent);

for (const place of document.querySelectorAll("[data-chart]")) {
  const how = { mode: "vega-lite", renderer: "svg", actions: false, hover: true };
  vegaEmbed(place, report.charts[place.dataset.chart], how).catch((error) => {
    place.textContent = place.getAttribute("aria-label"); // what it would show, in words
    console.error(error);
  });
}
