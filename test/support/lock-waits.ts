import type { Services } from "../../src/features";

/** Returns the number of transactions on a gateway's PostgreSQL database that wait for another transaction's lock. */
export async function lockWaits({ services }: { services: Pick<Services, "database"> }): Promise<number> {
  const waiting =
    "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
  return (await services.database.read((reader) => reader.query(waiting))).length;
}
