import { useEffect } from "react";
import { usePolledQuery } from "../api/client";
import {
  ConfigurationDocumentsDocument,
  type ConfigurationDocumentsQuery,
  ConfigurationStateDocument,
} from "./documents.generated";

/** How often an open page checks whether another member has saved or published (ms). */
const POLL_INTERVAL_MS = 10_000;

/** An agent's live configuration. */
export type Live = NonNullable<ConfigurationDocumentsQuery["configuration"]>;
/** An agent's draft. */
export type Draft = NonNullable<ConfigurationDocumentsQuery["configurationDraft"]>;

/**
 * An agent's live configuration and draft. Only their version and revision numbers are polled, because the documents
 * may be large.
 */
export function useDocuments(agentId: string) {
  const documents = usePolledQuery(
    ConfigurationDocumentsDocument,
    { agentId },
    { pollMs: Number.POSITIVE_INFINITY },
  );
  const state = usePolledQuery(ConfigurationStateDocument, { agentId }, { pollMs: POLL_INTERVAL_MS });
  const { data, refetch } = documents;
  const isStale =
    data !== undefined &&
    state.data !== undefined &&
    state.dataUpdatedAt > documents.dataUpdatedAt &&
    (data.configuration?.version !== state.data.configuration?.version ||
      data.configurationDraft?.revision !== state.data.configurationDraft?.revision);
  useEffect(() => {
    if (isStale) void refetch();
  }, [isStale, refetch]);
  return documents;
}
