// What the other scripts share: elements, packed data, numbers, files.

const find = (selector, root = document) => root.querySelector(selector);

/** Return a new element; text goes through textContent, so no string can become markup. */
function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "text") made.textContent = value;
    else made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

// --- Packed data: base64 of gzip in script elements, unpacked when it is asked for.

const parsed = new Promise((resolve) => {
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", resolve, { once: true });
  else resolve();
});

function bytesOf(packed) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(packed);
  const letters = atob(packed);
  const bytes = new Uint8Array(letters.length);
  for (let at = 0; at < letters.length; at++) bytes[at] = letters.charCodeAt(at);
  return bytes;
}

async function unpack(name) {
  // The index stands before the scripts, all else after them.
  if (!document.getElementById(`blob-${name}`)) await parsed;
  const stream = new Blob([bytesOf(document.getElementById(`blob-${name}`).textContent)]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
}

const unpacked = new Map();

/** Return a promise of the JSON in a blob; each is unpacked once. */
function data(name) {
  if (!unpacked.has(name)) unpacked.set(name, unpack(name).then(JSON.parse));
  return unpacked.get(name);
}

/** Return a column as it was before `encoded` in columns.py. */
const column = (packed) => packed.is ?? packed.at.map((place) => packed.of[place]);

// --- Numbers

const NOTHING = "–";
/** Every digit that the number has. */
const full = (value) => (value === null || value === undefined ? NOTHING : String(value));
const grouped = (value) => (value === null || value === undefined ? NOTHING : value.toLocaleString("en"));
/** So many significant digits, for times and the like. */
function brief(value, digits = 4) {
  if (value === null || value === undefined) return NOTHING;
  return value === 0 || (Math.abs(value) >= 1e-3 && Math.abs(value) < 1e6)
    ? String(Number(value.toPrecision(digits)))
    : value.toExponential(digits - 1).replace(/\.?0+e/, "e").replace("e+", "e");
}

// --- Files

/** Hand the reader a file. */
function save(name, content, type) {
  const address = URL.createObjectURL(new Blob([content], { type }));
  const link = element("a", { href: address, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

const quoted = (value) => (/[",\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);

/** Return rows of a table as CSV: all of them, or those in ranges of [first, number]. */
function csv(table, ranges = [[0, table.rows]]) {
  const names = Object.keys(table.columns);
  const columns = names.map((name) => column(table.columns[name]));
  const lines = [names.map(quoted).join(",")];
  for (const [first, number] of ranges) {
    for (let row = first; row < first + number; row++) {
      lines.push(columns.map((values) => quoted(values[row] === null ? "" : String(values[row]))).join(","));
    }
  }
  return `${lines.join("\n")}\n`;
}

/** Say on the page that something went wrong. */
function trouble(error) {
  const notice = find("#trouble");
  notice.textContent =
    typeof DecompressionStream === "undefined"
      ? "This browser cannot unpack the data in this page (it lacks DecompressionStream). Any browser from 2023 on can."
      : `Something in this page failed: ${error.message ?? error}`;
  notice.hidden = false;
  throw error;
}
