import type { Page } from "playwright-core";
import { COLOR_RULES, fits, violations } from "./axe";
import { eventually } from "./visit";

const DESKTOP = { width: 1280, height: 800 };
const PHONE = { width: 360, height: 740 };

/** Checks that a page fits a desktop and a phone, and passes axe, light and dark; then it is a light desktop again. */
export async function looksRight(page: Page): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    for (const viewport of [DESKTOP, PHONE]) {
      await page.setViewportSize(viewport);
      await eventually(async () => [viewport.width, await fits(page)]).toEqual([viewport.width, true]);
    }
    const only = colorScheme === "dark" ? { only: COLOR_RULES } : {};
    await eventually(() => violations(page, only)).toEqual([]);
  }
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize(DESKTOP);
}
