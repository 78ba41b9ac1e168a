// SPDX-License-Identifier: Apache-2.0
// Draws the figures of the page, switches their designs and sizes, opens what a link points into.
"use strict";
(() => {
  const dark = matchMedia("(prefers-color-scheme: dark)");

  const specificationOf = (figure) =>
    JSON.parse(document.getElementById(figure.dataset.specification).textContent);

  const LEAST_PANEL = 360; // with its axis
  const limited = (value, least, greatest) => Math.min(greatest, Math.max(least, value));

  // Names at the ends of curves would leave a phone no room for the curves.
  const LEAST_LABELLED = 560;
  function legendsForLabels(specification) {
    const isLabel = (layer) => layer.mark?.type === "text" && layer.mark.aria === false;
    if (!specification.layer?.some(isLabel)) return;
    specification.layer = specification.layer.filter((layer) => !isLabel(layer));
    for (const { encoding } of specification.layer) {
      for (const channel of [encoding?.color, encoding?.shape]) {
        if (channel?.legend === null) channel.legend = { columns: 2 };
      }
    }
  }

  // A chart of one panel takes the width of its element by itself. Of several, as many stand next
  // to each other as have room.
  function fitted(specification, width) {
    const panel = specification.spec;
    if (width < LEAST_LABELLED) legendsForLabels(specification);
    if (panel === undefined) {
      // A height of steps is that of a list, which is as long as it is.
      if (typeof specification.height === "number") {
        specification.height = limited(0.4 * width, specification.height, 440);
      }
      return specification;
    }
    const isRow = specification.columns > 1; // else they stand below each other on purpose
    const most = isRow ? specification.facet.sort.length : 1;
    specification.columns = limited(Math.floor(width / LEAST_PANEL), 1, most);
    panel.width = width / specification.columns - 84;
    if (isRow) panel.height = limited(0.7 * panel.width, 220, 340);
    return specification;
  }

  // What axes and the room between panels take is known only when they are drawn.
  async function fill(view, specification, chart) {
    if (specification.spec === undefined) return;
    const drawn = chart.querySelector("svg").getBoundingClientRect().width;
    const spare = (chart.clientWidth - drawn) / specification.columns;
    if (Math.abs(spare) < 1) return;
    view.signal("child_width", specification.spec.width + Math.floor(spare)).resize();
    await view.runAsync();
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
    let width = 0;

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
      width = chart.clientWidth;
      const place = document.createElement("div");
      chart.append(place); // first, as the chart takes the width of its element
      try {
        const specification = fitted(specificationOf(figure), width);
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
        chart.replaceChildren(place, still); // which is for paper
        chart.classList.add("drawn");
        await fill(view, specification, chart);
      } catch (problem) {
        place.remove();
        throw problem;
      }
      await show();
    }

    controls?.addEventListener("change", show);
    everything?.addEventListener("click", () => {
      for (const box of boxes) box.checked = true;
      boxes[0].focus();
      show();
    });
    dark.addEventListener("change", draw);
    return draw().then(() => {
      if (controls) controls.hidden = false;
      const resized = new ResizeObserver(() => chart.clientWidth === width || draw());
      resized.observe(chart);
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
