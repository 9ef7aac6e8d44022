import { DAY_MS, timestampOf } from "../../../common/time";
import type { Database } from "../../../database/database";
import { DELIVERING } from "../../../database/limits";
import { allReturning } from "../../../database/returning";
import type { Answer } from "./asking";

/**
 * Counts a request to the model, in its own transaction and exactly across processes, up to `max` per day.
 * @returns the answer to use instead of the model's; undefined if the model may be called
 */
export async function countAsk(
  database: Database,
  agentId: string,
  max: number,
): Promise<Answer | undefined> {
  const day = timestampOf(Math.floor(Date.now() / DAY_MS) * DAY_MS);
  const counted =
    max > 0 &&
    (await database.write(
      (tx) =>
        allReturning(
          tx,
          `insert into model_usage (agent_id, day, asks) values ($1, $2, 1)
           on conflict (agent_id, day) do update set asks = model_usage.asks + 1 where model_usage.asks < $3
           returning asks`,
          [agentId, day, max],
        ),
      { limits: DELIVERING },
    ));
  if (counted && counted.length > 0) return undefined;
  const message = `The agent can make at most ${max} requests to the model per day (UTC).`;
  return { error: { code: "limit_reached", message } };
}
