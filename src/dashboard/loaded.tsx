import { type ComponentType, type ReactNode, startTransition, useEffect, useState } from "react";
import { connection } from "./api/connection";

/** When this tab was last loaded anew because code was missing (ms since the epoch), in the storage of the tab. */
const RELOADED = "reloaded-for-code";

/** How long not to do it again (ms): whatever is missing then is missing for another reason. */
const RELOAD_INTERVAL_MS = 60_000;

/** How often to ask whether the server answers again (ms). */
const ASK_INTERVAL_MS = 2_000;

/** A component whose code is loaded when it is needed. */
export interface Loaded<Props> {
  /** The component, and until its code is there its `fallback`: nothing, unless it is given. */
  component: ComponentType<Props & { fallback?: ReactNode }>;
  /** Loads the code, before the component is needed. */
  load: () => Promise<unknown>;
  /** Whether the code is there; loads it if it is wanted. */
  useIsLoaded: (isWanted: boolean) => boolean;
}

/**
 * Without `Suspense`: React shows what one has waited for only 300 ms after the last fallback, long after most code
 * is there.
 * @param load imports the component
 */
export function loaded<Props extends object>(load: () => Promise<ComponentType<Props>>): Loaded<Props> {
  let code: ComponentType<Props> | undefined;
  const loadOnce = async () => {
    code ??= await load();
    return code;
  };
  const useCode = (isWanted: boolean) => {
    const [result, setResult] = useState<{ failure?: unknown }>();
    const shown = code;
    useEffect(() => {
      if (!isWanted || shown !== undefined) return;
      let isGone = false;
      const end = (next: { failure?: unknown }) => isGone || startTransition(() => setResult(next));
      loadOnce()
        .catch(reloadIfReplaced)
        .then(
          () => end({}),
          (failure) => end({ failure }),
        );
      return () => {
        isGone = true;
      };
    }, [isWanted]);
    if (result?.failure !== undefined) throw result.failure;
    return shown;
  };
  return {
    component: ({ fallback = null, ...props }) => {
      const Component = useCode(true);
      return Component === undefined ? fallback : <Component {...(props as unknown as Props)} />;
    },
    load: () => loadOnce().catch(() => undefined),
    useIsLoaded: (isWanted) => useCode(isWanted) !== undefined,
  };
}

const isAnswering = (): Promise<boolean> =>
  fetch(location.pathname, { method: "HEAD" }).then(
    ({ ok }) => ok,
    () => false,
  );

/**
 * After an upgrade of the server, the code that this page refers to is gone; the page of the new one has its own. While
 * the server does not answer, the outline of the page stays.
 */
async function reloadIfReplaced(error: unknown): Promise<never> {
  while (!(await isAnswering())) {
    connection.set("lost");
    await new Promise((resolve) => setTimeout(resolve, ASK_INTERVAL_MS));
  }
  const last = Number(sessionStorage.getItem(RELOADED));
  if (Date.now() - last < RELOAD_INTERVAL_MS) throw error;
  sessionStorage.setItem(RELOADED, String(Date.now()));
  location.reload();
  return new Promise<never>(() => undefined);
}
