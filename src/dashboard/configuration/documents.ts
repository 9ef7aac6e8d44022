import { useEffect } from "react";
import { usePolledQuery } from "../api/client";
import {
  ConfigurationDocumentsDocument,
  type ConfigurationDocumentsQuery,
  ConfigurationStateDocument,
} from "./documents.generated";

/** An agent's live configuration. */
export type Live = NonNullable<ConfigurationDocumentsQuery["configuration"]>;
/** An agent's draft. */
export type Draft = NonNullable<ConfigurationDocumentsQuery["configurationDraft"]>;

/** An agent's live configuration and draft. Only version and revision are polled: the documents may be large. */
export function useDocuments(agentId: string) {
  const documents = usePolledQuery(
    ConfigurationDocumentsDocument,
    { agentId },
    { pollMs: Number.POSITIVE_INFINITY },
  );
  const state = usePolledQuery(ConfigurationStateDocument, { agentId }, { pollMs: 10_000 });
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
