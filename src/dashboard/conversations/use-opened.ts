import { useEffect, useState } from "react";
import { isTransient } from "../api/api-error";
import { execute } from "../api/execute";
import { type ConversationFragment, MarkConversationOpenedDocument } from "./documents.generated";

/** Delay before retrying a failed attempt (ms). */
const RETRY_MS = 10_000;

/** Notifies the server that a conversation was opened, once after each handoff. */
export function useOpened(conversation: ConversationFragment | null | undefined): void {
  const { id, handler, version } = conversation ?? {};
  const [failures, setFailures] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: reruns on a new version (maybe a handoff) and on failure
  useEffect(() => {
    if (id === undefined || handler !== "human") return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    execute(MarkConversationOpenedDocument, { id }).catch((error) => {
      if (isTransient(error)) timer = setTimeout(() => setFailures((count) => count + 1), RETRY_MS);
    });
    return () => clearTimeout(timer);
  }, [id, handler, version, failures]);
}
