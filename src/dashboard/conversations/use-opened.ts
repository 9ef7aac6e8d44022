import { useEffect, useState, useSyncExternalStore } from "react";
import { isTransient } from "../api/api-error";
import { execute } from "../api/execute";
import { type ConversationFragment, MarkConversationOpenedDocument } from "./documents.generated";

/** Delay before retrying a failed attempt (ms). */
const RETRY_MS = 10_000;

const isVisible = () => document.visibilityState === "visible";

function onVisibility(changed: () => void): () => void {
  document.addEventListener("visibilitychange", changed);
  return () => document.removeEventListener("visibilitychange", changed);
}

/**
 * Notifies the server that the member has opened a handed-off conversation. Waits until the page is visible, because
 * the server stops notifying all members once one of them has seen the handoff.
 */
export function useOpened(conversation: ConversationFragment | null | undefined): void {
  const { id, handler, version } = conversation ?? {};
  const [failures, setFailures] = useState(0);
  const isSeen = useSyncExternalStore(onVisibility, isVisible);
  // biome-ignore lint/correctness/useExhaustiveDependencies: reruns on a new version (maybe a handoff) and on failure
  useEffect(() => {
    if (id === undefined || handler !== "human" || !isSeen) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    execute(MarkConversationOpenedDocument, { id }).catch((error) => {
      if (isTransient(error)) timer = setTimeout(() => setFailures((count) => count + 1), RETRY_MS);
    });
    return () => clearTimeout(timer);
  }, [id, handler, version, isSeen, failures]);
}
