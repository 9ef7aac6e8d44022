import type { Page } from "playwright-core";
import { type Checked, COLOR_RULES, fits, ownPart, violations } from "./axe";
import { eventually } from "./visit";

const DESKTOP = { width: 1280, height: 800 };
const PHONE = { width: 360, height: 740 };

/**
 * Checks that a page fits a desktop and a phone, and that axe accepts the page's own part in light and dark mode. Then
 * restores the light desktop.
 * @param part a larger part for axe to check
 */
export async function looksRight(page: Page, part?: Checked): Promise<void> {
  const checked = part ?? (await ownPart(page));
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    for (const viewport of [DESKTOP, PHONE]) {
      await page.setViewportSize(viewport);
      await eventually(async () => [viewport.width, await fits(page)]).toEqual([viewport.width, true]);
    }
    const only = colorScheme === "dark" ? { only: COLOR_RULES } : {};
    await eventually(() => violations(page, { ...checked, ...only })).toEqual([]);
  }
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize(DESKTOP);
}
