// SPDX-License-Identifier: Apache-2.0
// Draws the figures of the page, switches their designs and sizes, opens what a link points into.
"use strict";
(() => {
  const narrow = matchMedia("(max-width: 40rem)");
  const dark = matchMedia("(prefers-color-scheme: dark)");

  const specificationOf = (figure) =>
    JSON.parse(document.getElementById(figure.dataset.specification).textContent);

  // On a phone the panels stand below each other, none wider than the page.
  function fitted(specification, width) {
    const panels = [...(specification.concat ?? []), specification.spec].filter(Boolean);
    if (narrow.matches && panels.length > 0) {
      specification.columns = 1;
      for (const panel of panels) panel.width = Math.min(panel.width, width - 84);
    }
    return specification;
  }

  function setUp(figure) {
    const chart = figure.querySelector(".chart");
    const controls = figure.querySelector(".controls");
    const download = figure.querySelector("a.download");
    const still = chart.querySelector("img");
    const everything = controls?.querySelector("button");
    const boxes = controls ? [...controls.querySelectorAll("input")] : [];
    let view = null;
    let drawing = 0;

    // The page alone is enough: the drawing is in it.
    download.href = still.src;

    // The values that are ticked, by the chart's parameter.
    function shown() {
      const values = {};
      for (const box of boxes) {
        values[box.name] ??= [];
        if (box.checked) values[box.name].push(box.value);
      }
      return values;
    }

    async function show() {
      for (const [parameter, values] of Object.entries(shown())) view.signal(parameter, values);
      await view.runAsync();
      if (everything) everything.disabled = boxes.every((box) => box.checked);
    }

    async function draw() {
      const turn = ++drawing;
      const place = document.createElement("div");
      chart.append(place); // first, as the chart takes the width of its element
      try {
        const specification = fitted(specificationOf(figure), chart.clientWidth);
        const drawn = await vegaEmbed(place, specification, {
          mode: "vega-lite",
          renderer: "svg",
          actions: false,
          tooltip: { theme: dark.matches ? "dark" : "light" },
        });
        if (turn !== drawing) {
          drawn.finalize();
          place.remove();
          return;
        }
        view?.finalize();
        view = drawn.view;
      } catch (problem) {
        place.remove();
        throw problem;
      }
      chart.replaceChildren(place);
      await show();
    }

    controls?.addEventListener("change", show);
    everything?.addEventListener("click", () => {
      for (const box of boxes) box.checked = true;
      boxes[0].focus();
      show();
    });
    for (const media of [narrow, dark]) media.addEventListener("change", draw);
    return draw().then(() => {
      if (controls) controls.hidden = false;
    });
  }

  // A browser that finds the target of a link inside closed details may leave them closed.
  function reveal() {
    const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    for (let each = target; each; each = each.parentElement) {
      if (each.tagName === "DETAILS") each.open = true;
    }
    target.scrollIntoView({ block: "center" });
  }

  addEventListener("hashchange", reveal);
  const figures = [...document.querySelectorAll("figure[data-specification]")];
  Promise.allSettled(figures.map(setUp)).then((results) => {
    for (const each of results) if (each.status === "rejected") console.error(each.reason);
    document.documentElement.dataset.ready = "yes";
    reveal();
  });
})();
