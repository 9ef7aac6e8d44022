import { LineState } from "./line.entity";

/** Pauses a restored database's lines, because its queued messages may have been sent since the backup. */
export const PAUSE_RESTORED_LINES = {
  table: "line",
  statement: `UPDATE line SET state = '${LineState.paused}', paused_reason = 'restored from a backup', version = version + 1
    WHERE state = '${LineState.active}'`,
};
