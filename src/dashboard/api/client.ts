import {
  focusManager,
  keepPreviousData,
  QueryClient,
  type UseQueryResult,
  useQuery,
} from "@tanstack/react-query";
import { useDeferredValue } from "react";
import { isPassing, isSessionError } from "./api-error";
import { type TypedDocumentString, ViewerDocument } from "./documents.generated";
import { execute } from "./execute";

/** How long another person's change may stay unseen in a page that is looked at (ms). */
const POLL_MS = 5_000;

/** What the pages show of the gateway's data, kept fresh. */
export const client = new QueryClient({
  defaultOptions: {
    queries: {
      // A gateway on this very machine answers without any network.
      networkMode: "always",
      retry: (failures, error) => failures < 2 && isPassing(error),
      retryDelay: (failures) => 500 * 2 ** failures,
      staleTime: 1_000,
    },
  },
});

// Of two windows side by side, the one turned to shows what is true now.
focusManager.setEventListener((onFocus) => {
  const focused = () => onFocus();
  for (const event of ["focus", "visibilitychange"]) window.addEventListener(event, focused);
  return () => {
    for (const event of ["focus", "visibilitychange"]) window.removeEventListener(event, focused);
  };
});

const tabs = new BroadcastChannel("gateway-dashboard");
tabs.onmessage = () => void client.invalidateQueries();

/** Shows at once, here and in the other tabs of this browser, that something is not as it was. */
export async function announceChange(): Promise<void> {
  tabs.postMessage("changed");
  await client.invalidateQueries();
}

/** Asks again who is signed in. */
export const askWhoIsSignedIn = (): Promise<void> =>
  client.invalidateQueries({ queryKey: [ViewerDocument.toString()] });

client.getQueryCache().subscribe(({ type, query }) => {
  if (type !== "updated" || query.queryKey[0] === ViewerDocument.toString()) return;
  if (query.state.status === "error" && isSessionError(query.state.error)) void askWhoIsSignedIn();
});

/**
 * Does something at the gateway and shows everywhere what came of it. The answer goes to the caller alone: no cache
 * holds it.
 * @param waitUntilShown whether to return after this page shows it, rather than at once
 * @throws ApiError
 */
export async function change<Result, Variables>(
  document: TypedDocumentString<Result, Variables>,
  variables: Variables,
  { waitUntilShown = true } = {},
): Promise<Result> {
  try {
    const result = await execute(document, variables);
    const shown = announceChange();
    if (waitUntilShown) await shown;
    return result;
  } catch (error) {
    if (isSessionError(error)) void askWhoIsSignedIn();
    throw error;
  }
}

/**
 * What the gateway answers, polled; while other variables load, the last answer stays.
 * @param pollMs how often, for what is dear to answer
 */
export function useAnswer<Result, Variables>(
  document: TypedDocumentString<Result, Variables>,
  variables: Variables,
  { enabled = true, pollMs = POLL_MS } = {},
): UseQueryResult<Result> {
  const answer = useQuery({
    queryKey: [document.toString(), variables],
    queryFn: ({ signal }) => execute(document, variables, signal),
    placeholderData: keepPreviousData,
    enabled,
    refetchInterval: pollMs,
  });
  // The first answer brings a whole page to draw: React does that in slices, in between which the browser can answer
  // to whoever is already typing. What changes later shows at once.
  const drawn = useDeferredValue(answer);
  return drawn.isPending && answer.data !== undefined ? drawn : answer;
}
