import { type ComponentType, lazy } from "react";
import { connection } from "./api/connection";

/** When this tab was last loaded anew because code was missing (ms since the epoch), in the storage of the tab. */
const RELOADED = "reloaded-for-code";

/** How long not to do it again (ms): whatever is missing then is missing for another reason. */
const RELOAD_INTERVAL_MS = 60_000;

/** How often to ask whether the server answers again (ms). */
const ASK_INTERVAL_MS = 2_000;

/** A component whose code is loaded when it is needed. */
export interface Loaded<Props> {
  component: ComponentType<Props>;
  /** Loads the code, before the component is needed. */
  load: () => Promise<unknown>;
}

/** @param load imports the component */
export const loaded = <Props extends object>(load: () => Promise<ComponentType<Props>>): Loaded<Props> => ({
  component: lazy(async () => ({ default: await load().catch(reloadIfReplaced) })) as ComponentType<Props>,
  load: () => load().catch(() => undefined),
});

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
