import { readFileSync } from "node:fs";
import type axe from "axe-core";
import type { Page } from "playwright-core";

const AXE = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

/**
 * The violations that axe finds on a page, by all its rules, best practices included.
 * @param options.only the rules to check, where the others cannot change
 * @param options.within selects the part of the page to check, where the rest is checked already
 */
export async function violations(
  page: Page,
  { only, within }: { only?: string[]; within?: string } = {},
): Promise<string[]> {
  // The Content-Security-Policy blocks injected scripts, but not those of the debugger.
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(AXE);
  const found = await page.evaluate(
    ([rules, part]) =>
      (window as unknown as { axe: typeof axe }).axe.run(part ?? document, {
        resultTypes: ["violations"],
        ...(rules && { runOnly: { type: "rule" as const, values: rules } }),
      }),
    [only, within] as const,
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
