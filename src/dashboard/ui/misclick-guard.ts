import { type MouseEvent, useLayoutEffect, useRef } from "react";

/** How long people need to notice that a list has moved (ms). */
const NOTICE_MS = 700;

/**
 * Ignores pointer clicks in a list right after one of its items has moved or disappeared, because the user
 * aimed at the item that was there before.
 * @param ids the IDs of the listed items
 * @returns properties of the element around the items
 */
export function useMisclickGuard(ids: readonly string[]) {
  const shown = useRef(ids);
  const movedAt = useRef(Number.NEGATIVE_INFINITY);
  useLayoutEffect(() => {
    const kept = ids.filter((id) => shown.current.includes(id));
    if (kept.join() !== shown.current.join()) movedAt.current = performance.now();
    shown.current = ids;
  });
  return {
    onClickCapture: (event: MouseEvent) => {
      // A key press acts on the focused item, wherever it has moved.
      if (event.detail === 0 || performance.now() - movedAt.current > NOTICE_MS) return;
      event.preventDefault();
      event.stopPropagation();
    },
  };
}
