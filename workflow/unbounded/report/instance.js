// One instance: its formula, boxes and traces of its runs, its trials, and the command that repeats one.

const opened = { index: null, data: null, trials: null, from: null };
const SYMBOLS = ["circle", "square", "diamond", "triangle-up", "cross", "x", "star"];
const DASHES = ["solid", "dash", "dot", "dashdot", "longdash"];

function startInstance(index) {
  opened.index = index;
  const dialog = find("#instance");
  find("#instance-close").addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  dialog.addEventListener("close", () => {
    history.replaceState(null, "", location.pathname + location.search);
    opened.data = null;
    for (const chart of dialog.querySelectorAll(".chart")) window.Plotly?.purge(chart);
    opened.from?.focus();
  });
  dialog.addEventListener("change", (event) => event.target.name === "axis" && drawTraces());
  find("#copy").addEventListener("click", copyCommand);
  window.addEventListener("hashchange", openFromAddress);
  openFromAddress();
}

/** The address may name an instance: report.html#mixed-D64-t0-TC3-c1e4-E30. */
function openFromAddress() {
  const id = decodeURIComponent(location.hash.slice(1));
  if (Object.hasOwn(opened.index.instances, id) && opened.data?.id !== id) openInstance(id, null, null);
}

async function openInstance(id, solver, from) {
  const found = await data(opened.index.instances[id]).catch(trouble);
  opened.data = found;
  opened.from = from;
  opened.trials = Object.fromEntries(Object.entries(found.trials).map(([name, packed]) => [name, column(packed)]));
  history.replaceState(null, "", `#${id}`);
  fillInstance(found);
  fillTrials(found);
  chooseTrial(bestTrial(solver));
  const dialog = find("#instance");
  if (!dialog.open) dialog.showModal();
  dialog.scrollTop = 0;
  await plotting().catch(trouble);
  drawCharts();
}

function fillInstance({ id, spec, digest, zero, references, known, missing }) {
  find("#instance-id").textContent = id;
  const fills = {
    ...spec, shift: spec.t ? ` + ${grouped(spec.t)}` : "",
    form: spec.file ? `; from ${spec.file}` : spec.hessian === "block" ? "; block reading of the HadEllipse" : "",
  };
  find('#instance [data-part="centres"]').hidden = Boolean(spec.file);
  find('#instance [data-part="real"]').hidden = spec.n_r === 0;
  for (const slot of document.querySelectorAll("#instance [data-fill]")) slot.textContent = fills[slot.dataset.fill];
  const counted = opened.trials.solved.filter(Boolean).length;
  const facts = [
    ["Test case", spec.case],
    ["Optimum", zero ? `zero ${ZERO}: ξ0 is feasible and integer` : (known.optimum ?? null) === null ? "above zero, not proven" : `${full(known.optimum)}, proven`],
    ...references.map(({ study, solver, f }) => ["Reference", `${nameOf(solver)}: ${full(f)} (study ${study})`]),
    ["Best known", `${full(known.f)}${known.status === "best known" ? "" : ` (${known.status})`}`],
    known.bound === undefined || known.bound === null ? null : ["Lower bound", `${full(known.bound)}${known.source ? `, by ${nameOf(known.source)}` : ""}`],
    ["Trials", `${counted} solved of ${opened.trials.seed.length}${missing.length ? `, ${missing.length} planned without a row` : ""}`],
    ["Arrays", digest ?? NOTHING],
  ].filter(Boolean);
  find("#instance-facts").replaceChildren(
    ...facts.map(([name, text]) => element("div", {}, element("dt", { text: name }), element("dd", { text }))),
  );
}

const nameOf = (solver) => opened.index.labels[solver] ?? solver;

// --- Trials and their command

function fillTrials({ missing }) {
  const { trials } = opened;
  const heads = [
    ["Solver"], ["Seed", "n"], ["Status"], ["f", "n"], ["Repaired f", "n"], ["Bound it claims", "n"], ["Evaluations", "n"], ["CPU s", "n"],
    ["Wall s", "n"], ["Budget"], ["Ending"], ["Ended because"], ["Host"], ["Command"],
  ];
  const head = element("tr", {}, ...heads.map(([text, look]) => element("th", { scope: "col", class: look, text })));
  const body = element("tbody");
  trials.seed.forEach((seed, row) => {
    const button = element("button", {
      type: "button", class: "quiet", text: "Show", "aria-label": `Command of ${trials.solver[row]}, seed ${seed}`,
    });
    button.addEventListener("click", () => {
      chooseTrial(row);
      find("#copy").focus();
    });
    const cells = [
      [nameOf(trials.solver[row])], [seed, "n"], [trials.status[row]], [full(trials.f[row]), "n"],
      [full(trials.repaired_f[row]), "n"], [brief(trials.bound[row], 10), "n"],
      [grouped(trials.evaluations[row]), "n"], [brief(trials.cpu_seconds[row]), "n"], [brief(trials.wall_seconds[row]), "n"],
      [trials.budget[row]], [trials.ending[row]], [trials.termination[row], "why"], [trials.host[row]],
    ];
    const line = element("tr", { "data-row": row, "data-solver": trials.solver[row], "data-seed": seed });
    line.append(...cells.map(([text, look]) => element("td", { class: look, text })), element("td", {}, button));
    body.append(line);
  });
  for (const [solver, seed] of missing) {
    const texts = [[nameOf(solver)], [seed, "n"], ["missing"]];
    const line = element("tr", { class: "muted" }, ...texts.map(([text, look]) => element("td", { class: look, text })));
    line.append(element("td", { colspan: heads.length - 3, text: "planned, but there is no row" }));
    body.append(line);
  }
  find("#instance-trials").replaceChildren(element("thead", {}, head), body);
}

/** The row of a solver's best run, or of the best of all. */
function bestTrial(solver) {
  const { trials } = opened;
  const rows = trials.seed.map((_, row) => row);
  const own = rows.filter((row) => trials.solver[row] === solver);
  const among = own.length ? own : rows;
  const solved = among.filter((row) => trials.solved[row]).sort((a, b) => trials.f[a] - trials.f[b]);
  return solved[0] ?? among[0];
}

function chooseTrial(row) {
  const { trials } = opened;
  find("#instance .repeat").hidden = row === undefined;
  if (row === undefined) return;
  for (const line of document.querySelectorAll("#instance-trials tbody tr")) {
    if (line.dataset.row === String(row)) line.setAttribute("aria-current", "true");
    else line.removeAttribute("aria-current");
  }
  find("#command").textContent = trials.command[row];
  const promise = trials.repeatable[row]
    ? "With the same versions, on the same kind of processor, it gives the same f"
    : "Its budget is seconds, so another run may give another f";
  find("#command-note").textContent =
    `${nameOf(trials.solver[row])}, seed ${trials.seed[row]}: f = ${full(trials.f[row])}. ${promise} (${trials.versions[row]}).`;
}

async function copyCommand() {
  const code = find("#command");
  const button = find("#copy");
  try {
    await navigator.clipboard.writeText(code.textContent);
  } catch {
    // Pages opened from disk may be refused the clipboard: then copy as a reader would.
    getSelection().selectAllChildren(code);
    document.execCommand("copy");
  }
  button.textContent = "Copied";
  setTimeout(() => (button.textContent = "Copy"), 2000);
}

// --- Charts, by plotly

let library = null;

/** Load plotly from the page, once; nothing before the first instance waits for it. */
function plotting() {
  library ??= unpack("plotly").then((source) => {
    document.head.append(element("script", { text: source }));
  });
  return library;
}

const escaped = (text) => String(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** Mix a colour with white: those of the figures are made for paper. */
const lightened = (colour) =>
  `rgb(${[1, 3, 5].map((at) => Math.round(0.5 * parseInt(colour.slice(at, at + 2), 16) + 0.5 * 255)).join(",")})`;

function look(solver) {
  const solvers = Object.keys(opened.index.colours);
  const place = solvers.indexOf(solver);
  const colour = opened.index.colours[solver] ?? "#808080";
  return {
    colour: isDarkPage() ? lightened(colour) : colour,
    symbol: SYMBOLS[place % SYMBOLS.length],
    dash: DASHES[place % DASHES.length],
  };
}

function layout(more) {
  const ink = getComputedStyle(document.body).color;
  const line = "rgba(128,128,128,0.25)";
  const axis = { gridcolor: line, linecolor: line, zerolinecolor: line, automargin: true };
  return {
    font: { family: getComputedStyle(document.body).fontFamily, size: 12, color: ink },
    paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
    margin: { l: 56, r: 12, t: 12, b: 40 }, hoverlabel: { font: { size: 12 } }, ...more,
    xaxis: { ...axis, ...more.xaxis }, yaxis: { ...axis, ...more.yaxis },
  };
}

const CONFIG = { displayModeBar: false, responsive: true };

/** An axis of these values: logarithmic where they span more than a factor of three and none is zero. */
function axisOf(values, title, format = null) {
  const [low, high] = values.length ? [Math.min(...values), Math.max(...values)] : [1, 1];
  // So many digits that ticks differ, however close the values are.
  const digits = high > low ? Math.max(6, 2 + Math.ceil(Math.log10(Math.abs(high) / (high - low)))) : 6;
  const common = { title: { text: title }, tickformat: format ?? `.${Math.min(digits, 15)}~g` };
  if (low <= 0 || high <= 3 * low) return { ...common, type: "linear" };
  // Within few decades 2 and 5 are labelled too.
  return { ...common, type: "log", dtick: Math.log10(high / low) < 4 ? "D2" : 1 };
}


function drawCharts() {
  drawBoxes();
  drawTraces();
}

function bySolver() {
  const groups = new Map();
  opened.trials.solver.forEach((solver, row) => groups.set(solver, [...(groups.get(solver) ?? []), row]));
  return groups;
}

/** Zero has no place on a logarithmic axis: where it is the optimum, what is below this is drawn at it. */
const FLOOR = 1e-6;
const drawn = (f) => (opened.data.zero ? Math.max(f, FLOOR) : f);

function drawBoxes() {
  const { trials } = opened;
  const values = trials.f.filter((f) => f !== null).map(drawn);
  const names = [];
  const traces = [];
  for (const [solver, rows] of bySolver()) {
    const solved = rows.filter((row) => trials.solved[row]);
    const { colour, symbol } = look(solver);
    const lost = rows.length - solved.length;
    const name = escaped(nameOf(solver)) + (lost ? `<br>${lost} of ${rows.length}<br>without solution` : "");
    names.push(name);
    traces.push({
      type: "box", name, y: solved.map((row) => drawn(trials.f[row])),
      text: solved.map((row) => `f = ${full(trials.f[row])}, seed ${trials.seed[row]}`),
      boxpoints: "all", jitter: 0.5, pointpos: 0, marker: { color: colour, symbol, size: 6, opacity: 0.75 },
      line: { color: colour, width: 1.5 }, fillcolor: "rgba(0,0,0,0)", hovertemplate: "%{text}<extra></extra>",
    });
  }
  // Those without a solution have their place, too.
  const xaxis = { type: "category", categoryorder: "array", categoryarray: names, range: [-0.5, names.length - 0.5] };
  Plotly.react(find("#instance-boxes"), traces, layout({ showlegend: false, xaxis, yaxis: axisOf(values, "f") }), CONFIG);
}

/** The curves of all runs on an axis: x, y, and the row; those without x are levels. */
function curvesOn(axis) {
  const { trials, data: found } = opened;
  return trials.seed.flatMap((_, row) => {
    const trace = found.traces[row];
    if (axis === "evaluations" && !trials.evaluations[row]) {
      // A white-box solver counts no evaluations: its value is a level.
      return trials.solved[row] ? [{ row, x: null, y: trials.f[row] }] : [];
    }
    if (!trace) return [];
    const x = [...trace[axis], trials[axis][row]];
    const curve = { row, x, y: [...trace.f, trace.f.at(-1)] };
    const bounds = axis === "cpu_seconds" && trace.bound;
    return bounds ? [curve, { row, x, y: [...bounds, trials.bound[row] ?? bounds.at(-1)], bound: true }] : [curve];
  });
}

function drawTraces() {
  const { trials, data: found } = opened;
  const axis = find('#instance input[name="axis"]:checked').value;
  const curves = curvesOn(axis);
  const counted = curves.flatMap(({ x }) => x ?? []).filter((at) => at > 0);
  const span = counted.length ? [Math.min(...counted), Math.max(...counted)] : [1, 10];
  const values = curves.flatMap(({ y, bound }) => (bound ? [] : y)).map(drawn);

  // All runs of a solver are one trace with gaps: a trace for each would take plotly seconds.
  const traces = new Map();
  for (const { row, x, y, bound } of curves) {
    const solver = trials.solver[row];
    const key = `${bound ? "bound" : "value"} ${solver}`;
    if (!traces.has(key)) traces.set(key, traceOf(solver, bound));
    const trace = traces.get(key);
    const seen = x ? x.map((at) => Math.max(at, span[0])) : span;
    const label = `${escaped(nameOf(solver))}, seed ${trials.seed[row]}${bound ? ", bound it claims" : ""}`;
    trace.x.push(...seen, null);
    trace.y.push(...(x ? y : [y, y]).map(bound ? (f) => f : drawn), null);
    trace.text.push(...seen.map(() => label), null);
  }
  const levels = boundLevels();
  const shown = [...traces.values(), ...levels.map(({ name, f }) => levelOf(escaped(name), f, span))];
  Plotly.react(find("#instance-traces"), shown, layout({
    legend: { orientation: "h", x: 0, y: 1.02, yanchor: "bottom" }, hovermode: "closest",
    xaxis: {
      ...axisOf(span, ...(axis === "evaluations" ? ["evaluations", "~s"] : ["CPU seconds"])),
      type: "log", showticklabels: counted.length > 0,
    },
    yaxis: axisOf([...values, ...levels.map(({ f }) => f).filter((f) => f > 0)], "f"),
  }), CONFIG);
  const notes = [
    curves.some(({ x }) => !x) ? "White-box solvers count no evaluations: their final value is drawn as a level." : "",
    levels.length ? "A bound is the word of the solver that it names." : "",
    axis === "cpu_seconds" ? "Seconds depend on the machine." : "",
    found.zero ? "The optimum is zero: values below 10⁻⁶ are drawn there." : "",
  ];
  find("#instance-note").textContent = notes.filter(Boolean).join(" ");
}

function traceOf(solver, bound) {
  const { colour, dash } = look(solver);
  return {
    type: "scatter", mode: "lines", name: escaped(nameOf(solver)), legendgroup: solver, showlegend: !bound,
    x: [], y: [], text: [], opacity: 0.85, hovertemplate: "%{text}<br>%{x}: %{y}<extra></extra>",
    line: { color: colour, dash: bound ? "dot" : dash, width: bound ? 1.2 : 1.5, shape: "hv" },
  };
}

const levelOf = (name, f, span) => ({
  type: "scatter", mode: "lines", name, x: span, y: [f, f], text: [name, name], line: { color: "gray", dash: "dot", width: 1.5 },
  hovertemplate: "%{text}: %{y}<extra></extra>",
});

/** The bounds below the optimum: that of the best known value, else the highest that a solver claims. */
function boundLevels() {
  const { trials, data: found } = opened;
  const { bound, source } = found.known;
  if (bound !== undefined && bound !== null) return [{ name: `bound${source ? `, by ${nameOf(source)}` : ""}`, f: bound }];
  const claims = trials.bound.flatMap((f, row) => (f === null ? [] : [{ name: `bound ${nameOf(trials.solver[row])} claims`, f }]));
  return claims.sort((a, b) => b.f - a.f).slice(0, 1);
}
