import { useEffect, useState } from "react";
import { isNotFound } from "../api/api-error";
import { usePolledQuery } from "../api/client";
import { execute } from "../api/execute";
import { isHeld } from "../messages/message-state";
import { useTask } from "../ui/task";
import {
  OlderMessagesDocument,
  ThreadDocument,
  type ThreadMessageFragment,
  type ThreadQuery,
} from "./documents.generated";

/** The API's max page size. */
const MAX_RECENT = 100;

/** Polling interval for new messages (ms). */
const POLL_MS = 5_000;
/** Polling interval while a message is being sent (ms); sending takes only a moment. */
const LEAVING_POLL_MS = 1_000;

/** The loaded messages of a conversation, without gaps up to the newest. */
interface Loaded {
  /** In conversation order. */
  messages: readonly ThreadMessageFragment[];
  /** Cursor for loading older messages; null if all are loaded. */
  older: string | null;
  /** Cursor of the newest message; null if there are none. */
  newest: string | null;
}

const NOTHING: Loaded = { messages: [], older: null, newest: null };

/** Compares messages by their order in a thread; scheduled messages have no position and come last, soonest first. */
function inOrder(a: ThreadMessageFragment, b: ThreadMessageFragment): number {
  if (a.sequence !== null && b.sequence !== null) return a.sequence - b.sequence;
  if (a.sequence !== null || b.sequence !== null) return a.sequence === null ? 1 : -1;
  return (a.sendAt ?? "") < (b.sendAt ?? "") ? -1 : 1;
}

/** Merges messages without duplicates, keeping the later state. */
function merged(
  messages: readonly ThreadMessageFragment[],
  others: readonly ThreadMessageFragment[],
): ThreadMessageFragment[] {
  const byId = new Map([...messages, ...others].map((message) => [message.id, message]));
  return [...byId.values()].sort(inOrder);
}

/** Merges the response to a poll into the loaded messages. */
function withAnswer(loaded: Loaded, { latest, added, recent, scheduled }: ThreadQuery): Loaded {
  if (latest !== undefined) {
    const { nodes, pageInfo } = latest;
    return {
      messages: merged(loaded.messages, nodes),
      older: pageInfo.hasNextPage ? pageInfo.endCursor : null,
      newest: pageInfo.startCursor,
    };
  }
  const states = new Map(recent?.nodes.map((state) => [state.id, state]));
  // A rescheduled message loses its position in the thread.
  const unplaced = new Set(scheduled?.nodes.map(({ id }) => id));
  const placed = loaded.messages.filter(({ id }) => !unplaced.has(id));
  const messages = merged(placed, added?.nodes ?? []);
  return {
    messages: messages.map((message) => ({ ...message, ...states.get(message.id) })),
    older: loaded.older,
    newest: added?.pageInfo.endCursor ?? loaded.newest,
  };
}

/**
 * Returns the number of newest messages whose states are polled, from 1 to `MAX_RECENT`. Normally covers all loaded
 * messages, because states can change long after sending; a fast poll starts at the first unsent message.
 */
function recentOf(loaded: Loaded): number {
  const { messages } = loaded;
  const first = isLeaving(loaded) ? messages.findIndex(isUnsent) : 0;
  return Math.min(messages.length - first || 1, MAX_RECENT);
}

/** True if the first unsent message is being sent or is about to be; later messages wait for it. */
const isLeaving = ({ messages }: Loaded): boolean => {
  const first = messages.find(isUnsent);
  return first?.status === "sending" || (first?.status === "queued" && !isHeld(first));
};

const isUnsent = ({ status }: ThreadMessageFragment): boolean => status === "queued" || status === "sending";

/** Returns a message as stored after its contact is erased. */
const withoutTexts = (message: ThreadMessageFragment): ThreadMessageFragment => ({
  ...message,
  ...{ subject: null, text: "", quoted: null, proposedText: null, omitted: null, errorText: null },
});

/**
 * Returns a conversation with its newest messages, and loads older ones on demand. Polls new messages and the states
 * of the newest ones (see `recentOf`); older messages keep the state they were loaded with.
 */
export function useThread(id: string) {
  const [loaded, setLoaded] = useState(NOTHING);
  const { busy, error: olderError, run } = useTask();
  const { newest, older } = loaded;
  const { data, error, refetch, isPlaceholderData } = usePolledQuery(
    ThreadDocument,
    { id, after: newest, follows: newest !== null, recent: recentOf(loaded) },
    {
      pollMs: isLeaving(loaded) ? LEAVING_POLL_MS : POLL_MS,
      // Does not cache polls: a later poll with the same variables would briefly show outdated states.
      ...(newest !== null && { gcTime: 0 }),
    },
  );
  useEffect(() => {
    if (data !== undefined && !isPlaceholderData) setLoaded((before) => withAnswer(before, data));
  }, [data, isPlaceholderData]);

  const loadOlder = () =>
    run(async () => {
      if (older === null) return;
      const { conversationMessages: page } = await execute(OlderMessagesDocument, { id, after: older });
      setLoaded((before) => ({
        ...before,
        messages: merged(page.nodes, before.messages),
        older: page.pageInfo.hasNextPage ? page.pageInfo.endCursor : null,
      }));
    });
  const messages = data && merged(data.scheduled?.nodes ?? [], loaded.messages);
  return {
    /** Null if the conversation does not exist; undefined while it is loading. */
    conversation: isNotFound(error) ? null : data?.conversation,
    // Polling does not reload message texts, so texts loaded before the contact was erased must be hidden.
    messages: data?.conversation?.contact?.erasedAt == null ? messages : messages?.map(withoutTexts),
    /** True if more messages are scheduled or proposed than are loaded. */
    hasMoreUpcoming: data?.scheduled?.pageInfo.hasNextPage ?? false,
    hasOlder: older !== null,
    loadOlder,
    isLoadingOlder: busy,
    olderError,
    error: data === undefined ? error : null,
    refetch,
  };
}
