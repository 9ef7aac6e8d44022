import { existsSync } from "node:fs";

const PLACES = [
  process.env.CHROMIUM ?? "",
  // Debian's headless Chromium; its browser process takes half the time.
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/** The browser for the dashboard's tests; undefined if none is installed. */
export const chromiumPath = PLACES.find((place) => place !== "" && existsSync(place));
