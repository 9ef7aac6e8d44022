import { AsyncLocalStorage } from "node:async_hooks";

/** A piece of work that is followed, from its begin to its end. */
export interface Work {
  /** As logs name it. */
  readonly ids: Readonly<{ trace_id: string; span_id: string }>;
  /** Begins a part of it. @param others for whom that is done too */
  begin(name: string, others?: readonly Work[]): Work;
  /** Says more of it; never anything that a client sent unasked. */
  describe(attributes: Readonly<Record<string, string | number>>): void;
  /** @param failure what it failed with, in a word */
  end(failure?: string): void;
}

/** Follows requests; made only where the settings say where to. */
export interface Tracing {
  /** Begins a request. @param headers may hold a W3C `traceparent`, which it continues */
  request(name: string, headers: Readonly<Record<string, unknown>>): Work;
  /** Hands over what is finished, and ends. */
  close(): Promise<void>;
}

// Nothing is kept in it, so it serves every app of the process; it costs nothing until the first request is followed.
const current = new AsyncLocalStorage<Work | undefined>();

/** The work that the caller is part of; undefined where nobody follows it. */
export const currentWork = (): Work | undefined => current.getStore();

/** Makes everything that is begun in `run` a part of the work. */
export const within = <T>(work: Work | undefined, run: () => T): T => current.run(work, run);

/** Follows a part of the present work. */
export function follow<T>(name: string, run: () => Promise<T>): Promise<T> {
  const above = current.getStore();
  return above === undefined ? run() : until(above.begin(name), run);
}

/** Follows what is done once for several: as part of the work of the first of them, with links to that of the others. */
export function followFor<T>(name: string, askers: readonly Work[], run: () => Promise<T>): Promise<T> {
  const [first, ...others] = new Set(askers);
  return first === undefined ? run() : until(first.begin(name, others), run);
}

async function until<T>(work: Work, run: () => Promise<T>): Promise<T> {
  try {
    const result = await within(work, run);
    work.end();
    return result;
  } catch (error) {
    work.end(error instanceof Error ? error.name : "unknown");
    throw error;
  }
}
