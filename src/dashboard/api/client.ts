import {
  focusManager,
  keepPreviousData,
  type Query,
  QueryClient,
  type QueryFilters,
  type StaleTime,
  type UseQueryResult,
  useQuery,
} from "@tanstack/react-query";
import { useDeferredValue, useSyncExternalStore } from "react";
import { isNotFound, isSessionError, isTransient } from "./api-error";
import { ViewerDocument, type ViewerQuery } from "./documents.generated";
import { execute } from "./execute";
import type { TypedDocumentString } from "./typed-document";

/** How often an open page polls for other people's changes (ms). */
const POLL_INTERVAL_MS = 5_000;

/** How long data that is no longer shown is cached (ms). */
const GC_MS = 5 * 60_000;

/** The cache of all loaded data. */
export const client = new QueryClient({
  defaultOptions: {
    queries: {
      // Query even while the browser is offline, because the server may run on the same machine.
      networkMode: "always",
      // In a hidden page, a retry would pause and block polling until the page is visible.
      retry: (failures, error) => failures < 2 && isTransient(error) && focusManager.isFocused(),
      retryDelay: (failures) => 500 * 2 ** failures,
      staleTime: 1_000,
    },
  },
});

/**
 * `staleTime` for data that is loaded once and not reloaded, not even after a change. Returns 0 until the data is
 * loaded, because the cache would not retry a failed static query.
 */
export const loadedOnce = ({ state }: { state: { data: unknown } }): StaleTime =>
  state.data === undefined ? 0 : "static";

// Refetch on focus as well as on visibility, because two windows side by side are both visible.
focusManager.setEventListener((onFocus) => {
  const focused = () => onFocus();
  for (const event of ["focus", "visibilitychange"]) window.addEventListener(event, focused);
  return () => {
    for (const event of ["focus", "visibilitychange"]) window.removeEventListener(event, focused);
  };
});

const tabs = new BroadcastChannel("gateway-dashboard");
tabs.onmessage = () => void client.invalidateQueries();

/** Reloads the displayed data, here and in the browser's other tabs. */
export async function refetchEverywhere(): Promise<void> {
  tabs.postMessage("changed");
  await client.invalidateQueries();
}

const viewerQuery = () => client.getQueryState<ViewerQuery>([ViewerDocument.toString(), {}]);

/** True if the session is known to have ended. */
export function sessionHasEnded(): boolean {
  const state = viewerQuery();
  return state?.data?.viewer === null || isSessionError(state?.error);
}

/** True if the server's latest response says that no one is signed in; false if the latest request failed. */
export function isSignedOut(): boolean {
  const state = viewerQuery();
  return state?.status === "success" && state.data?.viewer === null;
}

/** Returns the ID of the signed-in member, even if their session has just expired. */
export const memberIn = (): string | undefined => viewerQuery()?.data?.viewer?.id;

const isViewerQuery = ({ queryKey }: Pick<Query, "queryKey">) => queryKey[0] === ViewerDocument.toString();

/** Reloads the signed-in member. */
export const refetchViewer = (): Promise<void> => client.invalidateQueries({ predicate: isViewerQuery });

/** Clears all loaded data and reloads the signed-in member. */
export const resetViewer = (): Promise<void> => client.resetQueries({ predicate: isViewerQuery });

/** The member whose data is in the cache; undefined if no one is signed in. */
let owner: string | undefined;

client.getQueryCache().subscribe(({ type, query }) => {
  if (type !== "updated") return;
  if (isViewerQuery(query)) {
    const member = sessionHasEnded() ? undefined : memberIn();
    // Another tab may have signed out or signed in as a different member.
    if (owner !== undefined && owner !== member)
      client.removeQueries({ predicate: (each) => !isViewerQuery(each) });
    owner = member;
  } else if (query.state.status === "error" && isSessionError(query.state.error)) void refetchViewer();
});

/** Matches displayed queries that failed. */
const FAILED: QueryFilters = {
  type: "active",
  predicate: ({ state: { status, error } }) => status === "error" && !isNotFound(error),
};

const hasOutdatedData = () =>
  client
    .getQueryCache()
    .findAll(FAILED)
    .some(({ state, observers }) => {
      const isPolled = observers.some(({ options }) => Boolean(options.refetchInterval));
      return isPolled && state.data !== undefined;
    });

/** True while polled data on the page cannot be reloaded. */
export const useHasOutdatedData = (): boolean =>
  useSyncExternalStore(client.getQueryCache().subscribe, hasOutdatedData);

/** Retries the displayed queries that failed, without waiting for the next poll. */
export const reloadFailed = (): Promise<void> => client.refetchQueries(FAILED, { cancelRefetch: false });

/**
 * Runs a mutation and reloads the displayed data in all tabs. The result is returned to the caller and not
 * cached.
 * @param waitUntilShown true to resolve only after this page shows the change
 * @throws ApiError
 */
export async function change<Result, Variables>(
  document: TypedDocumentString<Result, Variables>,
  variables: Variables,
  { waitUntilShown = true } = {},
): Promise<Result> {
  try {
    const result = await execute(document, variables);
    const shown = refetchEverywhere();
    if (waitUntilShown) await shown;
    return result;
  } catch (error) {
    if (isSessionError(error)) void refetchViewer();
    throw error;
  }
}

/**
 * Polls a query and returns its latest result. Returns the previous result while the data for new variables
 * is loading.
 * @param pollMs polling interval; raise it for data that is large, rarely changes or costs the server time
 * @param inBackground true to poll while the page is hidden
 * @param gcTime how long the result is cached after the variables have changed (ms)
 */
export function usePolledQuery<Result, Variables>(
  document: TypedDocumentString<Result, Variables>,
  variables: Variables,
  { enabled = true, pollMs = POLL_INTERVAL_MS, inBackground = false, gcTime = GC_MS } = {},
): UseQueryResult<Result> {
  const result = useQuery({
    queryKey: [document.toString(), variables],
    queryFn: ({ signal }) => execute(document, variables, signal),
    placeholderData: keepPreviousData,
    enabled,
    refetchInterval: pollMs,
    refetchIntervalInBackground: inBackground,
    gcTime,
  });
  // React renders the first result, a whole page, in slices, so that typing is not blocked. Later results are rendered
  // immediately.
  const deferred = useDeferredValue(result);
  return deferred.isPending && result.data !== undefined ? deferred : result;
}
