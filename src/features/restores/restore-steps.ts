import { timestamp } from "../../common/time";
import { MOVE_RESTORED_POSITIONS } from "../events/move-restored-positions";
import { DELETE_RESTORED_NOTICES } from "../handoff-notices/delete-restored-notices";
import { PAUSE_RESTORED_LINES } from "../lines/pause-restored-lines";
import { DISABLE_RESTORED_ENDPOINTS } from "../webhooks/disable-restored-endpoints";
import { KNOWN_DATABASE_ID } from "./known-database.entity";

/**
 * Returns the changes that prevent a restored database from resending anything that may have been sent since
 * the backup.
 * @returns statements that work on either engine, each with the table that it changes
 */
export const restoreSteps = () => [
  PAUSE_RESTORED_LINES,
  MOVE_RESTORED_POSITIONS,
  ...DISABLE_RESTORED_ENDPOINTS,
  DELETE_RESTORED_NOTICES,
  {
    table: "known_database",
    statement: `INSERT INTO known_database (id, restored_at) VALUES (${KNOWN_DATABASE_ID}, '${timestamp()}')
      ON CONFLICT (id) DO UPDATE SET restored_at = excluded.restored_at`,
  },
];
