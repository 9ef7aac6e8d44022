import type { Page } from "playwright-core";

/**
 * Returns everything that does not fit: parts that a page, cell or dialog cuts off, table texts of more than two lines,
 * tags of more than one line or, beside a label, without their end, broken phone numbers and broken words of up to 12
 * letters in tables and tags, texts and fields at the edge of a card, rows that do not line up with the heading of their
 * card or dialog, menu buttons that are wrapped below the element before them, squeezed icons, and parts that overflow the
 * navigation.
 */
export const cutOff = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const dialog = document.querySelector("[role=dialog]");
    const boxes = dialog
      ? [dialog, ...dialog.querySelectorAll("*")]
      : document.querySelectorAll("main, main section, main table, main td, main [class*=card]");
    const mayScroll = (element: Element) =>
      element instanceof HTMLInputElement ||
      ["auto", "scroll"].includes(getComputedStyle(element).overflowX) ||
      getComputedStyle(element).textOverflow === "ellipsis" ||
      getComputedStyle(element).webkitLineClamp !== "none";
    const wide = [...boxes].filter(
      (element) =>
        element.scrollWidth > element.clientWidth + 1 &&
        element.clientWidth > 0 &&
        (!dialog || (element !== dialog && !mayScroll(element))) &&
        !element.matches(".visually-hidden"),
    );
    // Returns the visible lines of a text.
    const linesOf = (text: Node) => {
      const range = document.createRange();
      range.selectNodeContents(text);
      const end = text.parentElement?.getBoundingClientRect().bottom ?? 0;
      const tops = [...range.getClientRects()].filter(({ bottom }) => bottom <= end + 2);
      return new Set(tops.map(({ top }) => Math.round(top))).size;
    };
    const isBroken = (text: Node, { index, 0: { length } }: RegExpMatchArray) => {
      const range = document.createRange();
      range.setStart(text, index ?? 0);
      range.setEnd(text, (index ?? 0) + length);
      return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1;
    };
    const high: Element[] = [];
    const broken: string[] = [];
    for (const part of document.querySelectorAll("main td, main span[data-tone]")) {
      const texts = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
      while (texts.nextNode()) {
        const text = texts.currentNode;
        const isTag = text.parentElement?.matches("span[data-tone]");
        if (linesOf(text) > (isTag ? 1 : 2)) high.push(text.parentElement as Element);
        for (const word of (text.textContent ?? "").matchAll(/[^\s-]+/g))
          if ((word[0].length <= 12 || /^\+\d+$/.test(word[0])) && isBroken(text, word)) broken.push(word[0]);
      }
    }
    const shortened = [...document.querySelectorAll("dd span[data-tone]")].filter(
      (tag) => tag.scrollWidth > tag.clientWidth,
    );
    const edge = (element: Element) => {
      const { left } = element.getBoundingClientRect();
      return element.matches("p") ? left + Number.parseFloat(getComputedStyle(element).paddingLeft) : left;
    };
    const atEdge = [
      ...document.querySelectorAll("main section :is(p, label, input, select, textarea, button, svg)"),
    ].filter(
      (element) =>
        element.checkVisibility() &&
        !element.closest(".visually-hidden") &&
        edge(element) < edge(element.closest("section") as Element) + 8,
    );
    const isUnaligned = (row: Element) => {
      const heading = row.closest("section, [role=dialog]")?.querySelector("h2");
      return heading != null && Math.abs(edge(row) - edge(heading)) > 1;
    };
    const unaligned = [
      ...document.querySelectorAll("main section td:first-child > *, [role=dialog] td:first-child > *"),
    ].filter((row) => row.checkVisibility() && isUnaligned(row));
    const alone = [...document.querySelectorAll("main button[aria-haspopup=menu]")].filter(
      (menu) =>
        menu.previousElementSibling !== null &&
        menu.getBoundingClientRect().top >= menu.previousElementSibling.getBoundingClientRect().bottom,
    );
    const squeezed = [...document.querySelectorAll("svg[width]")].filter(
      (icon) =>
        icon.checkVisibility() &&
        icon.getBoundingClientRect().width < Number.parseFloat(icon.getAttribute("width") ?? "") - 1,
    );
    const side = document.querySelector("header");
    const outside = [...(side?.querySelectorAll("a, button, p, svg") ?? [])].filter(
      (element) =>
        element.getBoundingClientRect().right > (side?.getBoundingClientRect().right ?? 0) &&
        getComputedStyle(element.parentElement ?? element).textOverflow !== "ellipsis",
    );
    const nameOf = (element: Element) =>
      `${element.tagName} .${element.className} ${element.textContent?.slice(0, 30)}`;
    return [
      ...wide.map((each) => `${nameOf(each)} is ${each.scrollWidth - each.clientWidth} px too wide`),
      ...high.map((each) => `${nameOf(each)} takes too many lines`),
      ...broken.map((word) => `the word "${word}" is broken`),
      ...shortened.map((tag) => `${nameOf(tag)} has no room`),
      ...atEdge.map((element) => `${nameOf(element)} is at the edge of its card`),
      ...unaligned.map((row) => `${nameOf(row)} does not line up with its heading`),
      ...alone.map((menu) => `the menu "${menu.ariaLabel}" is in a row of its own`),
      ...squeezed.map((icon) => `an icon in "${icon.parentElement?.textContent?.slice(0, 30)}" is squeezed`),
      ...outside.map((element) => `${nameOf(element)} runs out of the navigation`),
    ];
  });

/** Waits for the page's layout after a change of size. */
export const laidOut = (page: Page) =>
  page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
