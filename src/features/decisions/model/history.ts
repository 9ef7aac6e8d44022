import { coalesceInTx } from "../../../database/coalesce-in-tx";
import type { Tx } from "../../../database/unit-of-work";
import { HISTORY_MAX_BYTES, MAX_DATA_ITEMS } from "../../configuration/configuration.limits";
import type { EarlierMessage } from "../../configuration/document/read-situation";
import { MessageStatus } from "../../messages/message.enums";

/** Statuses of messages that do not reach the contact. */
const UNSEEN: readonly MessageStatus[] = [MessageStatus.canceled, MessageStatus.failed];

/** Length of a truncated text (code points), which always fits into `HISTORY_MAX_BYTES`. */
const CUT_LENGTH = 2_600;

interface Wanted {
  conversationId: string;
  /** Max number of messages to read. */
  count: number;
  /** IDs of messages to omit. */
  except: readonly string[];
}

type Row = EarlierMessage & { id: string; page: number };

/** Reads conversations' last messages, oldest first, without canceled or failed ones, up to `HISTORY_MAX_BYTES`. */
export const readHistory = coalesceInTx(async (tx: Tx, wanted: readonly Wanted[]) => {
  const pages = wanted.map(
    ({ count, except }, page) => `SELECT * FROM (
      SELECT id, ${page} AS page, author, message AS text, created_at AS "at" FROM message
      WHERE conversation_id = $${page + 1} AND sequence IS NOT NULL
        AND status NOT IN (${UNSEEN.map((status) => `'${status}'`).join(", ")})
      ORDER BY sequence DESC LIMIT ${count + Math.min(except.length, MAX_DATA_ITEMS)}) AS page_${page}`,
  );
  const rows: Row[] = await tx.query(
    pages.join(" UNION ALL "),
    wanted.map(({ conversationId }) => conversationId),
  );
  return wanted.map(({ count, except }, i) => {
    const skipped = new Set(except);
    const newestFirst = rows.filter(({ id, page }) => page === i && !skipped.has(id)).slice(0, count);
    return fitting(newestFirst.map(({ author, text, at }) => ({ author, text, at }))).reverse();
  });
});

/** Returns as many of the first messages as fit. If even the first one is too large, truncates it. */
function fitting(messages: readonly EarlierMessage[]): EarlierMessage[] {
  const fit: EarlierMessage[] = [];
  // The size includes the list's brackets and a comma after each message.
  let size = 2;
  for (const message of messages) {
    size += Buffer.byteLength(JSON.stringify(message)) + 1;
    if (size <= HISTORY_MAX_BYTES) fit.push(message);
    else {
      const text = [...message.text].slice(0, CUT_LENGTH).join("");
      return fit.length > 0 ? fit : [{ ...message, text, isCut: true }];
    }
  }
  return fit;
}
