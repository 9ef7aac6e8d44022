import { readFileSync } from "node:fs";
import type axe from "axe-core";
import type { Page } from "playwright-core";

const AXE = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

/** Selects a part of a page, or of an element's shadow DOM. */
export type Within = string | { fromShadowDom: [element: string, part: string] };

/** The part of a page that axe checks; the whole page if empty. */
export interface Checked {
  /** The rules to check, if the results of the others cannot change. */
  only?: string[];
  /** The part to check, if the rest has been checked. */
  within?: Within;
  /** Selects a part that has been checked. */
  without?: string;
}

/**
 * Returns the part that only this page has: its dialog, or everything but the navigation, which is checked on the pages
 * that it lists.
 */
export const ownPart = async (page: Page): Promise<Checked> =>
  (await page.getByRole("dialog").count()) > 0
    ? { within: "[role=dialog]" }
    : { without: 'nav[aria-label="Dashboard"]' };

/** Returns the violations that axe finds on a page with all its rules, including best practices. */
export async function violations(page: Page, { only, within, without }: Checked = {}): Promise<string[]> {
  // The Content-Security-Policy blocks injected scripts, but not the debugger's scripts.
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(AXE);
  const found = await page.evaluate(
    ([rules, part, exclude]) =>
      (window as unknown as { axe: typeof axe }).axe.run(part ?? (exclude ? { exclude } : document), {
        resultTypes: ["violations"],
        reporter: "no-passes",
        selectors: false,
        // Preloading fetches the stylesheets again for one rule, and takes longer than all other rules.
        preload: part === undefined && exclude === undefined && rules === undefined,
        ...(rules && { runOnly: { type: "rule" as const, values: rules } }),
      }),
    [only, within, without] as const,
  );
  return found.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, any }) => `${id}: ${html} ${any[0]?.message}`),
  );
}

/** The rules whose results depend on the color scheme. */
export const COLOR_RULES = ["color-contrast", "link-in-text-block"];

/** Switches the color scheme of a page. */
export async function showIn(page: Page, colorScheme: "light" | "dark"): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await page.locator(`html[data-mantine-color-scheme="${colorScheme}"]`).waitFor({ state: "attached" });
}

/** True if the page fits the width of its window. */
export const fits = (page: Page): Promise<boolean> =>
  page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth);
