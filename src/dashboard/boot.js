// Runs in the head before the first paint, and again after the page's outline, long before the app loads.
(() => {
  const root = document.documentElement;
  let saved = null;
  try {
    // Stored by Mantine; if it were read later, a page with a saved dark theme would flash light.
    saved = localStorage.getItem("mantine-color-scheme-value");
  } catch {
    // Storage is blocked, so nothing was saved.
  }
  const isDark =
    saved === "dark" || (saved !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  root.setAttribute("data-mantine-color-scheme", isDark ? "dark" : "light");

  const title = document.getElementById("boot-title");
  const failed = ({ target }) => {
    const shown = document.getElementById("boot-title");
    if (!(target instanceof HTMLScriptElement) || shown === null) return;
    shown.textContent = "The dashboard can’t be loaded. Reload the page to try again.";
    shown.closest("[aria-hidden]")?.removeAttribute("aria-hidden");
  };
  // Script errors do not bubble. Listen once, in the head, before the first script.
  if (title === null) addEventListener("error", failed, true);
  const name = location.pathname.split("/").filter(Boolean).at(-1);
  if (title === null || name === undefined || !/^[a-z-]+$/.test(name)) return;
  const words = name === "dashboard" ? "overview" : name.replaceAll("-", " ").replace(/^api\b/, "API");
  title.textContent = words[0].toUpperCase() + words.slice(1);
})();
