import type { MouseEvent, ReactNode } from "react";
import { exactTime } from "./format";
import styles from "./name.module.css";

/** Names up to this length (characters), such as phone numbers, never wrap. */
const SHORT = 16;

/**
 * A name on at most two lines; the tooltip shows the full name if it is truncated.
 * @param dir the text direction, needed if other text follows the name; by default, its first letter determines it
 */
export const Name = ({ children, dir }: { children: ReactNode; dir?: "ltr" | undefined }) => (
  // biome-ignore lint/a11y/noStaticElementInteractions: only adds a tooltip
  <bdi
    className={styles.name}
    dir={dir}
    data-short={typeof children === "string" && children.length <= SHORT}
    onMouseEnter={showWhole}
  >
    {children}
  </bdi>
);

/** Sets an element's text as its tooltip if the text is truncated. */
export function showWhole({ currentTarget: element }: MouseEvent<HTMLElement>) {
  element.title = tooltipOf(element);
}

const tooltipOf = (element: HTMLElement): string =>
  element.scrollHeight > element.clientHeight || element.scrollWidth > element.clientWidth
    ? (element.textContent ?? "")
    : "";

/** Shows the tooltip of the time, name or tag under the pointer on the link that covers the row. */
export function showTooltipBelow({ currentTarget: link, clientX, clientY }: MouseEvent<HTMLElement>) {
  const below = document
    .elementsFromPoint(clientX, clientY)
    .find((element): element is HTMLElement => element.matches("time, bdi, [data-tone]"));
  link.title = below instanceof HTMLTimeElement ? exactTime(below.dateTime) : below ? tooltipOf(below) : "";
}
