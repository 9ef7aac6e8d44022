import type { Locator, Page } from "playwright-core";
import { eventually } from "./visit";

/** Max Tab presses; enough to go around the longest page. */
const MAX_TABS = 80;

/** Runs in the page, and returns the accessible name of the focused element. */
function nameOfFocus(): string {
  const at = document.activeElement as HTMLElement | null;
  const label = (at as HTMLInputElement | null)?.labels?.[0]?.textContent;
  return (at?.getAttribute("aria-label") ?? label ?? at?.textContent ?? "").trim();
}

/** Returns the accessible name of the focused element. */
export const focused = (page: Page): Promise<string> => page.evaluate(nameOfFocus);

/** Waits for the focus, which may move shortly after the content appears. */
export const focusComesTo = (page: Page, name: string): Promise<void> =>
  eventually(() => focused(page)).toBe(name);

/** Waits until an element has the focus, regardless of its name. */
export const hasFocus = (what: Locator): Promise<void> =>
  eventually(() => what.evaluate((element) => element === document.activeElement)).toBe(true);

/**
 * Presses Tab until the element has the focus.
 * @throws Error if it never does
 */
export async function tabTo(page: Page, name: string | RegExp): Promise<void> {
  const isThere = (text: string) => (typeof name === "string" ? text === name : name.test(text));
  for (let presses = 0; presses < MAX_TABS; presses++) {
    if (isThere(await focused(page))) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`Tab does not lead to "${name}" but to "${await focused(page)}".`);
}
