// The page as a whole: light or dark, and what starts when it is opened.

const isDarkPage = () => find("#theme").getAttribute("aria-pressed") === "true";

function startTheme() {
  const root = document.documentElement;
  const button = find("#theme");
  const system = matchMedia("(prefers-color-scheme: dark)");
  // Some browsers keep nothing for pages opened from disk; the choice then lasts as long as the page.
  let chosen = null;
  try {
    chosen = localStorage.getItem("unbounded-theme");
  } catch { /* see above */ }
  const show = () => {
    const dark = chosen ? chosen === "dark" : system.matches;
    if (chosen) root.dataset.theme = chosen;
    button.textContent = dark ? "Light" : "Dark";
    button.setAttribute("aria-pressed", dark);
    button.setAttribute("aria-label", dark ? "Dark colours are on; switch to light" : "Switch to dark colours");
    if (find("#instance").open && window.Plotly) drawCharts();
  };
  button.addEventListener("click", () => {
    chosen = (chosen ? chosen === "dark" : system.matches) ? "light" : "dark";
    try {
      localStorage.setItem("unbounded-theme", chosen);
    } catch { /* see above */ }
    show();
  });
  system.addEventListener("change", show);
  show();
}

startTheme();
data("index").then((index) => {
  startMaps(index);
  startFigures(index);
  startInstance(index);
  document.documentElement.dataset.ready = "true";
}).catch(trouble);
