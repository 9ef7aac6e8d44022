import { type ComponentType, type ReactNode, startTransition, useEffect, useState } from "react";
import { connection } from "../api/connection";
import { toast } from "./toast";

/** Session storage key for the time of the tab's last reload for missing code (ms since the epoch). */
const RELOADED = "reloaded-for-code";

/** Min time between two reloads for missing code (ms). Reloading sooner does not help if it is still missing. */
const RELOAD_INTERVAL_MS = 60_000;

/** How often to check whether the server responds again (ms). */
const ASK_INTERVAL_MS = 2_000;

/** The placeholders for a component whose code is not loaded. */
interface Instead {
  /** Shown while the component loads; defaults to nothing. */
  fallback?: ReactNode;
  /** Shown if the component cannot be loaded; defaults to a toast. */
  failed?: ReactNode;
}

/** A component whose code is loaded on demand. */
export interface Loaded<Props> {
  component: ComponentType<Props & Instead>;
  /** Loads the code before the component is needed. */
  load: () => Promise<unknown>;
  /** True once loading has succeeded or failed; loading starts when `isWanted` is true. */
  useIsSettled: (isWanted: boolean) => boolean;
}

/**
 * Loads a component's code on demand. Does not use `Suspense`, because React delays suspended content until 300 ms
 * after the last fallback, long after most code has loaded.
 * @param load imports the component
 */
export function loaded<Props extends object>(load: () => Promise<ComponentType<Props>>): Loaded<Props> {
  let code: ComponentType<Props> | undefined;
  const loadOnce = async () => {
    code ??= await load();
  };
  const useCode = (isWanted: boolean) => {
    const [result, setResult] = useState<"there" | "failed">();
    const shown = code;
    useEffect(() => {
      if (!isWanted || shown !== undefined) return;
      let isGone = false;
      loadOnce()
        .catch(() => loadAgain(loadOnce, () => isGone))
        .then(
          () => "there" as const,
          () => "failed" as const,
        )
        .then((next) => isGone || startTransition(() => setResult(next)));
      return () => {
        isGone = true;
      };
    }, [isWanted]);
    return { shown, hasFailed: shown === undefined && result === "failed" };
  };
  return {
    component: ({ fallback = null, failed = <NotLoaded />, ...props }) => {
      const { shown: Component, hasFailed } = useCode(true);
      if (Component !== undefined) return <Component {...(props as unknown as Props)} />;
      return hasFailed ? failed : fallback;
    },
    load: () => loadOnce().catch(() => undefined),
    useIsSettled: (isWanted) => {
      const { shown, hasFailed } = useCode(isWanted);
      return shown !== undefined || hasFailed;
    },
  };
}

/** Shows a toast that part of the page cannot be loaded. */
export function NotLoaded() {
  useEffect(() => toast("Part of this page can’t be loaded. Reload it and try again.", "bad"), []);
  return null;
}

const isAnswering = (): Promise<boolean> =>
  fetch(location.pathname, { method: "HEAD" }).then(
    ({ ok }) => ok,
    () => false,
  );

/**
 * Loads missing code when the server responds again. After a server upgrade, this page's code no longer exists, so the
 * page is reloaded.
 * @param isGone returns true if the code is no longer needed
 */
async function loadAgain(load: () => Promise<void>, isGone: () => boolean): Promise<void> {
  while (!(await isAnswering())) {
    connection.set("lost");
    await new Promise((resolve) => setTimeout(resolve, ASK_INTERVAL_MS));
    if (isGone()) return;
  }
  try {
    await load();
  } catch (error) {
    const last = Number(sessionStorage.getItem(RELOADED));
    if (isGone() || Date.now() - last < RELOAD_INTERVAL_MS) throw error;
    sessionStorage.setItem(RELOADED, String(Date.now()));
    location.reload();
    await new Promise(() => undefined);
  }
}
