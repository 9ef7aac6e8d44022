import { LineState } from "./line.entity";

/** Pauses the lines of a restored database, because its queued messages may have been sent since the backup. */
export const PAUSE_RESTORED_LINES = {
  table: "line",
  statement: `UPDATE line SET state = '${LineState.paused}', paused_reason = 'restored from a backup', version = version + 1
    WHERE state = '${LineState.active}'`,
};
