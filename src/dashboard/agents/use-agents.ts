import { usePolledQuery } from "../api/client";
import { AgentsDocument } from "./documents.generated";

/** Polling interval (ms); long because other members rarely create or rename agents. */
const POLL_INTERVAL_MS = 30_000;

/** Returns the organization's agents, for pages that name or select one. */
export const useAgents = () => usePolledQuery(AgentsDocument, {}, { pollMs: POLL_INTERVAL_MS });
