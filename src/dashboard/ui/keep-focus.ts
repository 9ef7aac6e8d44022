/** Selects sections of a page or dialog. When a focused element is removed, the section around it gets the focus. */
const PARTS = "section, ol, ul, table, form";

const DIALOG = "[role=dialog]";

/** Elements that manage focus among their own items. */
const MENU = "[role=menu], [role=listbox]";

/** Dialogs and menus return the focus when they close, unless the element that opened them has been removed. */
const RETURNS_FOCUS = `${DIALOG}, ${MENU}`;

/** Time for a closed dialog to return the focus (ms). */
const RETURN_MS = 100;

/** The section that got the focus when an element was removed. */
let substitute: Element | undefined;

/** True if no element has the focus, or only the section that got it when an element was removed. */
export const isFocusFree = (): boolean =>
  document.activeElement === document.body || document.activeElement === substitute;

/**
 * Keeps the focus near the last focused element, because browsers lose it when the element is removed or
 * disabled. The focus returns to an element that is no longer disabled, and moves from a removed element to
 * the section around it or to the page's heading. After a dialog opens another page, the focus moves to that
 * page's heading. Call once.
 */
export function keepFocus(): void {
  let last: Element | undefined;
  let dialog: Element | null = null;
  let around: Element[] = [];
  let wasDisabled = false;
  let isReturning = false;
  const forget = () => {
    last = undefined;
    isReturning = false;
  };
  const isOpen = () => document.querySelector(RETURNS_FOCUS) !== null;
  const focusHeading = () => {
    if (document.activeElement === document.body && !isOpen()) focus(heading());
  };
  document.addEventListener("pointerdown", forget, { capture: true });
  document.addEventListener("focusin", ({ target }) => {
    forget();
    if (!(target instanceof Element)) return;
    isReturning = target.closest(RETURNS_FOCUS) !== null;
    if (target.closest(MENU) !== null) return;
    last = target;
    dialog = target.closest(DIALOG);
    wasDisabled = false;
    around = [];
    for (let each = target.parentElement; each !== null; each = each.parentElement) around.push(each);
  });
  new MutationObserver(() => {
    if (isReturning && !isOpen()) {
      isReturning = false;
      setTimeout(focusHeading, RETURN_MS);
    }
    if (last === undefined) return;
    if (last.isConnected && last.matches(":disabled")) wasDisabled = true;
    if (document.activeElement !== document.body || dialog?.isConnected === false) return;
    if (!last.isConnected) {
      const near = around.find((each) => each.isConnected);
      forget();
      substitute = near?.closest(PARTS) ?? heading();
      focus(substitute);
    } else if (wasDisabled && !last.matches(":disabled")) {
      focus(last);
    }
  }).observe(document, { subtree: true, childList: true, attributeFilter: ["disabled"] });
}

const heading = () => document.querySelector("main h1") ?? undefined;

function focus(element: Element | undefined): void {
  if (!(element instanceof HTMLElement)) return;
  if (element.tabIndex < 0) element.tabIndex = -1;
  element.focus({ preventScroll: true });
}
