import { type Browser, chromium } from "playwright-core";
import { chromiumPath as found } from "../support/chromium-path";

/** A suite that needs a browser. Without one, it is skipped or, in CI, fails. */
export const describeInChromium = found !== undefined || process.env.CI ? describe : describe.skip;

/**
 * Features that cost time in a Chromium with windows but change no page, above all the two hidden pages below each
 * address bar, which take a fifth of the browser's time. Chromium obeys only the last such list, so it repeats the
 * features that Playwright disables.
 */
const DISABLED_FEATURES = [
  "WebUIOmniboxPopup",
  "WebUIOmniboxAimPopup",
  "AimEnabled",
  "AvoidCorsURLLoaderRestartOnRedirect",
  "AvoidUnnecessaryBeforeUnloadCheckSync",
  "DestroyProfileOnBrowserClose",
  "HttpsFirstBalancedModeAutoEnable",
  "HttpsUpgrades",
  "NetworkTimeServiceQuerying",
  "OptimizationHints",
  "PaintHolding",
  "PreconnectToSearch",
  "ThirdPartyStoragePartitioning",
];

let browser: Promise<Browser> | undefined;

/**
 * Starts the suite's browser, which makes no background requests and ends after the last test.
 * @throws Error if none is installed
 */
export function launchChromium(): Promise<Browser> {
  browser ??= start();
  return browser;
}

afterAll(async () => {
  const started = browser;
  browser = undefined;
  await (await started)?.close();
});

async function start(): Promise<Browser> {
  if (found === undefined) throw new Error("No Chromium was found; set CHROMIUM to its path.");
  return chromium.launch({
    executablePath: found,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      `--disable-features=${DISABLED_FEATURES.join(",")}`,
      // Pages of a context share a process, and thus the compiled scripts.
      "--renderer-process-limit=1",
    ],
  });
}
