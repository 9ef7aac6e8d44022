import type { DataSource } from "typeorm";
import { isConnectionLost } from "./postgres-connections";

/** The system identifier, which a cluster shares with its physical copies; some hosted servers hide it. */
const SYSTEM = "(SELECT system_identifier::text FROM pg_control_system())";

/** Restoring a dump gives the database and its tables new OIDs. */
const DATABASE = "(SELECT oid::text FROM pg_database WHERE datname = current_database())";
const TABLE = "'known_database'::regclass::oid::text";

/** Returns an SQL expression for the parts of the database's identity that this role can read (`Engine.identity`). */
export async function identityOf(source: DataSource): Promise<string> {
  const tellsSystem = await source.query(`SELECT ${SYSTEM}`).then(
    () => true,
    (error) => {
      if (isConnectionLost(error)) throw error;
      return false;
    },
  );
  return `json_build_object('database', ${DATABASE}, 'table', ${TABLE}${tellsSystem ? `, 'system', ${SYSTEM}` : ""})::text`;
}
