// Runs twice, long before the app loads: in the head, before the first paint, and after the page's outline.
(() => {
  const root = document.documentElement;
  let saved = null;
  try {
    // The theme stored by Mantine. If it were read later, pages would briefly flash light for users of the
    // dark theme.
    saved = localStorage.getItem("mantine-color-scheme-value");
  } catch {
    // Storage is blocked, so no theme was saved.
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
  // Loading errors of scripts do not bubble, so capture them. Listen once, in the head, before the first
  // script.
  if (title === null) addEventListener("error", failed, true);
  const name = location.pathname.split("/").filter(Boolean).at(-1);
  if (title === null || name === undefined || !/^[a-z-]+$/.test(name)) return;
  const words = name === "dashboard" ? "overview" : name.replaceAll("-", " ").replace(/^api\b/, "API");
  title.textContent = words[0].toUpperCase() + words.slice(1);
})();
