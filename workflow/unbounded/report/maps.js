// The heat-maps: a table of buttons for each test case, so that cells can be reached and read without a mouse.

const FORMS = ["Cigar", "RotEllipse", "HadEllipse"];
const MARKS = { failed: "–", neither: "×", unpaired: "×", waiting: "·" };
const ZERO = "○";

const maps = { index: null, view: {}, cells: new Map(), focus: null };

function startMaps(index) {
  if (!index.maps?.slices.length) {
    find("#maps")?.remove();
    find('nav a[href="#maps"]')?.remove();
    return;
  }
  maps.index = index;
  const select = find("#map-slice");
  index.maps.slices.forEach((slice, place) => select.append(element("option", { value: place, text: slice.label })));
  select.addEventListener("change", () => showMap({ slice: Number(select.value) }));
  for (const name of ["solver", "statistic", "reference"]) {
    find(`#map-${name}`).addEventListener("change", (event) => showMap({ [name]: event.target.value }));
  }
  const map = find("#map");
  map.addEventListener("keydown", moveInMap);
  map.addEventListener("pointerover", (event) => tellCell(event.target.closest(".cell")));
  map.addEventListener("focusin", (event) => enterCell(event.target.closest(".cell")));
  map.addEventListener("click", (event) => {
    const cell = event.target.closest(".cell");
    if (cell) openInstance(cell.dataset.instance, maps.view.solver, cell);
  });
  showMap({ slice: 0 });
}

const sliceOf = () => maps.index.maps.slices[maps.view.slice];
const layersOf = (slice, wanted) =>
  slice.layers.filter((layer) => Object.entries(wanted).every(([name, value]) => layer[name] === value));

/** Change what is shown; what the new slice or statistic does not have falls back to what it has. */
function showMap(change) {
  const view = { ...maps.view, ...change };
  const slice = maps.index.maps.slices[view.slice];
  if (!slice.solvers.some((solver) => solver.id === view.solver)) view.solver = slice.solvers[0].id;
  const statistics = new Set(layersOf(slice, { solver: view.solver }).map((layer) => layer.statistic));
  if (!statistics.has(view.statistic)) view.statistic = "best";
  const references = layersOf(slice, { solver: view.solver, statistic: view.statistic }).map((layer) => layer.reference);
  if (!references.includes(view.reference)) view.reference = references[0];
  maps.view = view;

  find("#map-slice").value = view.slice;
  choices("solver", slice.solvers, () => true);
  choices("statistic", maps.index.maps.statistics, (id) => statistics.has(id));
  const names = { reference: slice.reference, optimum: "proven optimum", known: "best known" };
  if (!slice.optimum.some((f) => f !== null)) delete names.optimum;
  if (maps.index.maps.bounds) names.bound = "lower bound";
  if (references.includes("untranslated")) names.untranslated = "untranslated";
  choices("reference", Object.entries(names).map(([id, label]) => ({ id, label })), (id) => references.includes(id));
  drawMap(slice, layersOf(slice, { solver: view.solver, statistic: view.statistic, reference: view.reference })[0]);
}

function choices(name, options, enabled) {
  const group = find(`#map-${name}`);
  const focused = group.contains(document.activeElement);
  find(".options", group)?.remove();
  const list = element("span", { class: "options" });
  for (const { id, label } of options) {
    const input = element("input", {
      type: "radio", name: `map-${name}`, value: id, checked: maps.view[name] === id, disabled: !enabled(id),
    });
    list.append(element("label", {}, input, label));
  }
  group.append(list);
  if (focused) find("input:checked", group)?.focus();
}

// --- Drawing

function drawMap(slice, layer) {
  const map = find("#map");
  maps.layer = layer;
  maps.cells.clear();
  map.style.setProperty("--levels", slice.E.length);
  map.replaceChildren();
  const nine = slice.tc.some((tc) => typeof tc === "number");
  if (nine) {
    map.append(element("span"));
    FORMS.forEach((form) => map.append(element("span", { class: "column-name", text: `g: ${form}` })));
    for (let tc = 0; tc < 9; tc++) {
      if (tc % 3 === 0) map.append(element("span", { class: "row-name", text: `f: ${FORMS[tc / 3]}` }));
      map.append(drawBlock(slice, layer, tc, Math.floor(tc / 3), tc % 3));
    }
  }
  // Other pairs of forms, and problems from files, come below.
  const first = nine ? 3 : 0;
  const others = Object.keys(slice.others);
  others.forEach((tc, place) => {
    if (place % 3 === 0) map.append(element("span", { class: "row-name" }));
    map.append(drawBlock(slice, layer, tc, first + Math.floor(place / 3), place % 3));
  });
  maps.rows = first + Math.ceil(others.length / 3);
  find("#map-title").textContent = mapTitle(slice, layer);
  drawKey(layer, slice);
  const focus = maps.cells.get(maps.focus) ?? maps.cells.values().next().value;
  if (focus) {
    focus.tabIndex = 0;
    maps.focus = focus.dataset.place;
    if (maps.told) tellCell([...maps.cells.values()].find((cell) => cell.dataset.instance === maps.told) ?? focus);
  }
}

/** One of the nine test cases, by its number, or another, by its name: its block, at a row and a column of blocks. */
function drawBlock(slice, layer, tc, down, across) {
  const known = typeof tc === "number";
  const name = known ? `TC-${tc}` : slice.others[tc];
  const forms = known ? `${FORMS[Math.floor(tc / 3)]} + ${FORMS[tc % 3]}` : "";
  const block = element("table", { class: "block", "data-tc": tc });
  block.append(element("caption", { text: name }, element("span", { text: ` ${forms}` })));
  const places = slice.tc.flatMap((value, place) => (value === tc ? [place] : []));
  if (!places.length) {
    block.append(element("tbody", {}, element("tr", {}, element("td", { class: "nothing", text: "not in this study" }))));
    return block;
  }
  // A problem from a file has one c and one E; the others have the slice's.
  const levels = (of, at) => [...of.keys()].filter((level) => known || tc.includes(".") || places.some((each) => at[each] === level));
  const head = element("tr", {}, element("th", { scope: "col", text: "c \\ E" }));
  levels(slice.E, slice.at_E).forEach((at) => head.append(element("th", { scope: "col", text: slice.E[at] })));
  block.append(element("thead", {}, head));
  const body = element("tbody");
  levels(slice.c, slice.at_c).forEach((row) => {
    const line = element("tr", {}, element("th", { scope: "row", text: slice.c[row] }));
    levels(slice.E, slice.at_E).forEach((at) => {
      const place = places.find((each) => slice.at_c[each] === row && slice.at_E[each] === at);
      line.append(element("td", {}, place === undefined ? null : drawCell(slice, layer, place, name, row, at, [down, across])));
    });
    body.append(line);
  });
  block.append(body);
  return block;
}

function drawCell(slice, layer, place, name, row, at, [down, across]) {
  const state = layer.states[place];
  const colour = layer.colours[place];
  const mark = state === "value" ? cellNumber(layer, layer.values[place]) : MARKS[state];
  const zero = slice.zero[place];
  const where = `${down * slice.c.length + row},${across * slice.E.length + at}`;
  const cell = element("button", {
    type: "button", class: "cell", tabindex: -1, text: zero ? `${mark} ${ZERO}` : mark,
    "data-instance": slice.instances[place], "data-state": state, "data-place": where,
    "data-at": place, "data-value": layer.values[place],
    style: colour ? `background:${colour};color:${isDark(colour) ? "#fff" : "#000"}` : null,
    "aria-label": [`${name}, c = ${slice.c[row]}, E = ${slice.E[at]}`, cellWords(layer, place), zero ? "zero optimum" : ""]
      .filter(Boolean).join(", "),
  });
  maps.cells.set(where, cell);
  return cell;
}

function isDark(colour) {
  const [red, green, blue] = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16) / 255);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue < 0.45;
}

/** A number that fits into a cell. */
function cellNumber(layer, value) {
  if (layer.statistic === "delta_z") return value.toFixed(2);
  if (value < 10) return value.toFixed(3);
  return value < 999.5 ? value.toPrecision(3) : value.toExponential(0).replace("e+", "e");
}

const STATES = {
  failed: "this solver has no solution",
  neither: "neither has a solution",
  unpaired: "what is compared with has no value",
  waiting: "not run",
};

function cellWords(layer, place) {
  const state = layer.states[place];
  if (state !== "value") return STATES[state];
  const zone = layer.zones[place];
  const same = layer.statistic.startsWith("ratio") && zone === "similar";
  return `${brief(layer.values[place], 6)}${zone ? `, ${same ? "same" : zone === "beyond" ? "worse" : zone}` : ""}`;
}

function mapTitle(slice, layer) {
  const solver = slice.solvers.find((each) => each.id === layer.solver).label;
  const statistic = maps.index.maps.statistics.find((each) => each.id === layer.statistic).label;
  const against = {
    reference: `value of ${slice.reference}`, optimum: "proven optimum", known: "best known value", bound: "lower bound",
  };
  if (layer.statistic === "delta_z") {
    const others = { known: "the best known solution", optimum: "the nearest solution that is proven optimal" };
    const other = others[layer.reference] ?? `the solution of ${slice.reference}`;
    return `${solver}: Δz of the best run, the share of integers that differ from ${other}`;
  }
  if (layer.statistic.startsWith("ratio")) return `${solver}: best value translated / untranslated, ${statistic.split(", ")[1]}`;
  return `${solver}: ${statistic.toLowerCase()} value / ${against[layer.reference]}`;
}

function drawKey(layer, slice) {
  const { keys } = maps.index.maps;
  const scale = layer.reference === "optimum" ? "optimum" : "objective";
  const name = layer.statistic === "delta_z" ? "delta_z" : layer.statistic.startsWith("ratio") ? "ratio" : scale;
  const key = find("#map-key");
  const entry = (swatch, text) => element("li", {}, swatch, text);
  key.replaceChildren(
    ...keys[name].map(({ word, range, colour }) =>
      entry(element("span", { class: "swatch", style: `background:${colour}` }), [word, range].filter(Boolean).join(" "))),
  );
  const states = new Set(layer.states);
  const looks = { failed: "dark", neither: "dark", unpaired: "light", waiting: "hatched" };
  for (const [state, look] of Object.entries(looks)) {
    if (states.has(state)) key.append(entry(element("span", { class: `swatch ${look}`, text: MARKS[state] }), STATES[state]));
  }
  if (slice.zero.some(Boolean)) key.append(entry(element("span", { class: "swatch", text: ZERO }), "zero optimum"));
}

// --- One cell

/** Show the numbers of a cell in the panel. */
function tellCell(cell) {
  if (!cell || !maps.cells.has(cell.dataset.place)) return;
  const slice = sliceOf();
  const { layer } = maps;
  const place = Number(cell.dataset.at);
  const solver = slice.solvers.find((each) => each.id === layer.solver);
  maps.told = slice.instances[place];
  // Whoever looks at cells may open one: the charts are then ready.
  plotting().catch(trouble);
  const lines = [
    ["best f", full(solver.best_f[place])],
    ["median f", full(solver.median_f[place])],
    ["worst f", full(solver.worst_f[place])],
    [`f of ${slice.reference}`, full(slice.reference_f[place])],
    ["best known f", full(slice.known_f[place])],
    maps.index.maps.bounds ? ["certainty", slice.known_status[place]] : null,
    maps.index.maps.bounds ? ["lower bound", full(slice.bound[place])] : null,
    ["verdict, best", solver.verdict_best[place] ?? NOTHING],
    ["verdict, median", solver.verdict_median[place] ?? NOTHING],
    ["runs", `${solver.solved[place]} solved of ${solver.planned[place]}`],
    ["ended", solver.statuses[place] ?? NOTHING],
    ["optimum", slice.zero[place] ? `zero ${ZERO}` : slice.optimum[place] === null ? "not proven" : full(slice.optimum[place])],
  ].filter(Boolean);
  const value = layer.states[place] === "value" ? brief(layer.values[place], 6) : MARKS[layer.states[place]];
  find("#cell").replaceChildren(
    element("h3", { text: slice.instances[place] }),
    element("p", { class: "muted", text: solver.label }),
    element("p", { class: "big", text: value }),
    element("p", { class: "muted", text: cellWords(layer, place).replace(/^[^,]*\d[^,]*, /, "") }),
    element("dl", {}, ...lines.flatMap(([name, text]) => [element("dt", { text: name }), element("dd", { text })])),
  );
}

function enterCell(cell) {
  if (!cell) return;
  const before = maps.cells.get(maps.focus);
  if (before) before.tabIndex = -1;
  cell.tabIndex = 0;
  maps.focus = cell.dataset.place;
  tellCell(cell);
}

const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

/** Arrow keys go to the next cell in that direction, across test cases; Home and End to the ends of a row. */
function moveInMap(event) {
  const cell = event.target.closest(".cell");
  if (!cell) return;
  const [row, at] = cell.dataset.place.split(",").map(Number);
  const slice = sliceOf();
  const [rows, columns] = [maps.rows * slice.c.length, 3 * slice.E.length];
  let next = null;
  if (event.key in STEPS) {
    const [down, right] = STEPS[event.key];
    for (let r = row + down, c = at + right; r >= 0 && c >= 0 && r < rows && c < columns; r += down, c += right) {
      next = maps.cells.get(`${r},${c}`);
      if (next) break;
    }
  } else if (event.key === "Home" || event.key === "End") {
    const inRow = [...maps.cells.keys()].map((key) => key.split(",").map(Number)).filter(([r]) => r === row);
    const ends = inRow.map(([, c]) => c);
    next = maps.cells.get(`${row},${event.key === "Home" ? Math.min(...ends) : Math.max(...ends)}`);
  } else return;
  event.preventDefault();
  next?.focus();
}
