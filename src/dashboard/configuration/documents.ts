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

/** A draft and the live version that it would replace. */
export interface Documents {
  live: Live;
  draft: Draft;
}

/** Returns the displayed document as input for replays and tests, because the stored draft may have changed. */
export const against = ({ document }: Draft) => ({ document });

/** True if neither the draft nor the live version differs. */
export const isSame = (one: Documents, other: Documents): boolean =>
  one.live.version === other.live.version &&
  // The revision alone does not identify a draft, because each draft starts at revision 1.
  one.draft.updatedAt === other.draft.updatedAt;

/** True if the only change is the draft's next revision, saved by the member with this address. */
export const isNextSave = (before: Documents, after: Documents, email: string): boolean =>
  after.live.version === before.live.version &&
  after.draft.revision === before.draft.revision + 1 &&
  after.draft.updatedBy === email;

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
