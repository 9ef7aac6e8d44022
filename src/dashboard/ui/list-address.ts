import { useSearchParams } from "wouter";
import { useHistoryState } from "wouter/use-browser-location";

/** What a list shows, kept in the address: a reload, a link and the browser's Back lead to the same. */
export function useListAddress() {
  const [params, setParams] = useSearchParams();
  // Cursors lead forward only; the history entry remembers the way back.
  const trail = useHistoryState<string[] | null>() ?? [];
  const after = params.get("after");

  return {
    after,
    get: (name: string) => params.get(name) ?? "",
    /** Of an address that knows no better, such as an old bookmark, nothing is asked for. */
    oneOf: <Value extends string>(name: string, known: readonly { value: Value }[]): Value | "" =>
      known.find(({ value }) => value === params.get(name))?.value ?? "",
    /** Sets filters, "" for none, and goes to the first page. */
    filter: (values: Readonly<Record<string, string>>, { replace = false } = {}) =>
      setParams(
        (now) => {
          for (const [name, value] of Object.entries({ ...values, after: "" })) {
            if (value === "") now.delete(name);
            else now.set(name, value);
          }
          return now;
        },
        { replace },
      ),
    next: (cursor: string) => setParams((now) => withCursor(now, cursor), { state: [...trail, after ?? ""] }),
    /** One page back, or to the first where the way here is not known. */
    previous: () => setParams((now) => withCursor(now, trail.at(-1) ?? ""), { state: trail.slice(0, -1) }),
  };
}

export type ListAddress = ReturnType<typeof useListAddress>;

function withCursor(params: URLSearchParams, cursor: string): URLSearchParams {
  if (cursor === "") params.delete("after");
  else params.set("after", cursor);
  return params;
}
