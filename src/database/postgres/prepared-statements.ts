import type { PoolClient, QueryResult } from "pg";
import { sha256 } from "../../credentials/sha256";

/** Returns a statement's name: a hash of its text, because processes may share a connection through a pooler. */
export const nameOf = (text: string) => `gateway_${sha256(text).slice(0, 32)}`;

/** Max parameters of a statement that stays prepared; longer ones have too many variants and run for long. */
const MAX_PREPARED_PARAMETERS = 64;

/** Runs a statement; short ones stay prepared on the connection. */
export const queryPrepared = (
  client: PoolClient,
  text: string,
  values: unknown[] = [],
): Promise<QueryResult> =>
  values.length === 0 || values.length > MAX_PREPARED_PARAMETERS
    ? client.query(text, values)
    : client.query({ name: nameOf(text), text, values });
