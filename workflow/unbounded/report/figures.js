// Static figures, unpacked as they come into sight, and downloads: figures as SVG, tables and parts of them as CSV.

const pictures = new Map();

/** Return a promise of the address of a figure in this page. */
function picture(blob) {
  if (!pictures.has(blob)) {
    pictures.set(blob, unpack(blob).then((svg) => URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }))));
  }
  return pictures.get(blob);
}

function startFigures(index) {
  const figures = new Map(index.figures.map((figure) => [figure.path, figure]));
  const watcher = new IntersectionObserver((entries) => {
    for (const entry of entries.filter((each) => each.isIntersecting)) {
      watcher.unobserve(entry.target);
      picture(entry.target.dataset.blob).then((address) => (entry.target.src = address)).catch(trouble);
    }
  }, { rootMargin: "600px" });
  document.querySelectorAll("img[data-blob]").forEach((image) => watcher.observe(image));

  document.addEventListener("click", async (event) => {
    const { svg, rows, table } = event.target.closest("button")?.dataset ?? {};
    try {
      if (svg) save(`${fileName(svg)}.svg`, await unpack(figures.get(svg).blob), "image/svg+xml");
      else if (rows) save(`${fileName(rows)}-${table}.csv`, csv(await data(`table-${table}`), figures.get(rows).rows[table]), "text/csv");
      else if (table) save(`${index.campaign}-${table}.csv`, csv(await data(`table-${table}`)), "text/csv");
    } catch (error) {
      trouble(error);
    }
  });
}

const fileName = (path) => path.replaceAll("/", "-");
