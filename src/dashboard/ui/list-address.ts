import type { UseQueryResult } from "@tanstack/react-query";
import { useLayoutEffect } from "react";
import { useSearchParams } from "wouter";
import { useHistoryState } from "wouter/use-browser-location";
import { ApiError } from "../api/api-error";

/** Returns the filters and page of a list, kept in the URL for reloads, links and the browser's Back button. */
export function useListAddress() {
  const [params, setParams] = useSearchParams();
  // Cursors only lead forward, so the history entry keeps the cursors of the previous pages.
  const trail = useHistoryState<string[] | null>() ?? [];
  const after = params.get("after");

  return {
    after,
    /** Number of pages before this one; undefined after following a link into the middle of the list. */
    page: after === null ? 0 : trail.length || undefined,
    get: (name: string) => params.get(name) ?? "",
    /** Returns a filter if its value is known, else ""; old bookmarks may contain unknown values. */
    oneOf: <Value extends string>(name: string, known: readonly { value: Value }[]): Value | "" =>
      known.find(({ value }) => value === params.get(name))?.value ?? "",
    /** Returns a link to a list with these filters ("" for none) in addition to the current ones. */
    hrefOf: (path: string, values: Readonly<Record<string, string>>) => {
      const search = withFilters(new URLSearchParams(params), values).toString();
      return search === "" ? path : `${path}?${search}`;
    },
    /** Sets filters ("" for none) and goes to the first page. */
    filter: (values: Readonly<Record<string, string>>, { replace = false } = {}) =>
      setParams((now) => withFilters(now, values), { replace }),
    next: (cursor: string) => setParams((now) => withCursor(now, cursor), { state: [...trail, after ?? ""] }),
    /** Goes one page back, or to the first page if the previous cursor is unknown. */
    previous: () => setParams((now) => withCursor(now, trail.at(-1) ?? ""), { state: trail.slice(0, -1) }),
  };
}

/**
 * Goes to the first page if the server does not know the cursor in the URL, for example from an old bookmark, or if
 * nothing is left on the page.
 * @param shown number of items on the page
 */
export function useCursorFallback(
  { error, isPlaceholderData }: Pick<UseQueryResult, "error" | "isPlaceholderData">,
  shown: number | undefined,
): void {
  const { after, filter } = useListAddress();
  const isUnknown = error instanceof ApiError && error.code === "invalid_cursor";
  const isNoPage = after !== null && (isUnknown || (shown === 0 && !isPlaceholderData));
  // Runs before the browser paints, so that neither the error nor the empty page is ever visible.
  useLayoutEffect(() => {
    if (isNoPage) filter({}, { replace: true });
  }, [isNoPage, filter]);
}

export type ListAddress = ReturnType<typeof useListAddress>;

function withFilters(params: URLSearchParams, values: Readonly<Record<string, string>>): URLSearchParams {
  for (const [name, value] of Object.entries({ ...values, after: "" })) {
    if (value === "") params.delete(name);
    else params.set(name, value);
  }
  return params;
}

function withCursor(params: URLSearchParams, cursor: string): URLSearchParams {
  if (cursor === "") params.delete("after");
  else params.set("after", cursor);
  return params;
}
