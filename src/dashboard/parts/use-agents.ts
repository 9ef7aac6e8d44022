import { usePolledQuery } from "../api/client";
import { AgentsDocument } from "./documents.generated";

/** Returns the organization's agents, for pages that name or select one. */
export const useAgents = () => usePolledQuery(AgentsDocument, {}, { pollMs: 30_000 });
