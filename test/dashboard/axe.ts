import { readFileSync } from "node:fs";
import type axe from "axe-core";
import type { Page } from "playwright-core";

const AXE = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

/** Selects a part of a page, or one within the shadow of an element. */
export type Within = string | { fromShadowDom: [element: string, part: string] };

/** What axe checks of a page: all of it if empty. */
export interface Checked {
  /** The rules to check, where the others cannot change. */
  only?: string[];
  /** The part to check, where the rest is checked already. */
  within?: Within;
  /** Selects a part that is checked already. */
  without?: string;
}

/** What only this page has: its dialog, or all but the navigation, which is checked with the pages that it lists. */
export const ownPart = async (page: Page): Promise<Checked> =>
  (await page.getByRole("dialog").count()) > 0
    ? { within: "[role=dialog]" }
    : { without: 'nav[aria-label="Dashboard"]' };

/** The violations that axe finds on a page, by all its rules, best practices included. */
export async function violations(page: Page, { only, within, without }: Checked = {}): Promise<string[]> {
  // The Content-Security-Policy blocks injected scripts, but not those of the debugger.
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(AXE);
  const found = await page.evaluate(
    ([rules, part, exclude]) =>
      (window as unknown as { axe: typeof axe }).axe.run(part ?? (exclude ? { exclude } : document), {
        resultTypes: ["violations"],
        reporter: "no-passes",
        selectors: false,
        // It loads the stylesheets again, for a rule about them alone, which takes longer than all others.
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

/** True if the page fits the width of its window. */
export const fits = (page: Page): Promise<boolean> =>
  page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth);
