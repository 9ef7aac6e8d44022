import type { Logger } from "pino";
import type { EntityManager } from "typeorm";
import { operatorFor, systemFor } from "../../auth/context";
import type { Timestamp } from "../../common/time";
import type { Database } from "../../database/database";
import type { Tx } from "../../database/unit-of-work";
import { recordAudit } from "../audit/audit";
import { auditActions } from "../audit/audit-actions";
import { Organization } from "../organizations/organization.entity";
import { type DatabaseIdentity, KNOWN_DATABASE_ID, KnownDatabase } from "./known-database.entity";
import { restoreSteps } from "./restore-steps";

const { database_restored } = auditActions({
  database_restored:
    "The database was restored from a backup: its lines were paused, its webhook endpoints were disabled, and their pending deliveries were canceled.",
});

/** The identities of this database and of the last known database; both are empty on SQLite. */
interface Identities {
  now: DatabaseIdentity;
  known: DatabaseIdentity;
}

/** Prevents a restored database from resending messages that were sent after the backup. */
export class RestoreService {
  constructor(
    private readonly database: Database,
    private readonly log: Logger,
  ) {}

  /**
   * SQL that selects the columns of `Identities` as JSON. Deliverers add it to statements that they run
   * anyway. Empty on SQLite.
   */
  get columns(): string {
    const { identity } = this.database;
    return identity === undefined
      ? ""
      : `, (SELECT ${identity}) AS now, (SELECT identity FROM known_database WHERE id = ${KNOWN_DATABASE_ID}) AS known`;
  }

  /**
   * True if a row with `columns` is from a database whose messages may be delivered.
   * @returns false before `check` if this database may be a restored copy; always true on SQLite
   */
  isKnown(row: object): boolean {
    const { now, known } = identitiesIn(row);
    return Object.entries(now).every(([part, value]) => known[part] === value);
  }

  /**
   * Compares this database with the known one, and holds back the deliveries of a restored copy. If no
   * database is known yet, nothing is held back. Afterwards, this database is the known one.
   */
  async check(): Promise<void> {
    if (this.isKnown(await this.database.read((reader) => this.row(reader)))) return;
    const isRestored = await this.database.withMigrationLock(async (tx) => {
      const { now, known } = identitiesIn(await this.row(tx));
      const isOther = Object.entries(now).some(([part, value]) => (known[part] ?? value) !== value);
      if (isOther) await this.hold(tx, systemFor);
      else await this.remember(tx);
      return isOther;
    });
    if (isRestored)
      this.log.warn(
        'the database was restored from a backup: its lines are paused, and its webhook endpoints are disabled. Resume the lines and enable the endpoints, then run "gateway restored --same"',
      );
  }

  /**
   * Treats this database as a restored copy and holds back its deliveries, for copies that `check` cannot recognize,
   * such as copied files or disks.
   * @param contextFor creates the context of the operator or the system
   */
  async declareRestored(contextFor: typeof operatorFor | typeof systemFor): Promise<void> {
    await this.database.withMigrationLock((tx) => this.hold(tx, contextFor));
  }

  /** Records this database as the known one without holding back deliveries, and dismisses the restore notice. */
  async confirmSame(): Promise<void> {
    await this.database.withMigrationLock((tx) => this.remember(tx, { restoredAt: null }));
  }

  /**
   * Returns when the database was last found or declared to be restored; null if it never was, or after
   * `confirmSame`.
   */
  async restoredAt(): Promise<Timestamp | null> {
    const [row] = await this.database.read((reader) =>
      reader.query(`SELECT restored_at AS at FROM known_database WHERE id = ${KNOWN_DATABASE_ID}`),
    );
    return row?.at ?? null;
  }

  /** Reads the identities from a row that was selected with `columns`. */
  private async row(tx: EntityManager): Promise<object> {
    const [row] = await tx.query(`SELECT 1 AS one${this.columns}`);
    return row;
  }

  private async hold(tx: Tx, contextFor: typeof operatorFor | typeof systemFor): Promise<void> {
    for (const { statement } of restoreSteps()) await tx.query(statement);
    await this.remember(tx);
    for (const organization of await tx.find(Organization, { order: { id: "ASC" } })) {
      const { id, name } = organization;
      await recordAudit(tx, contextFor(organization), database_restored, { id, name, organizationId: id });
    }
  }

  private async remember(tx: Tx, change: Pick<Partial<KnownDatabase>, "restoredAt"> = {}): Promise<void> {
    const { now: identity } = identitiesIn(await this.row(tx));
    await tx.upsert(KnownDatabase, { id: KNOWN_DATABASE_ID, identity, ...change }, ["id"]);
  }
}

function identitiesIn({ now, known }: { now?: string; known?: string | null }): Identities {
  return { now: JSON.parse(now ?? "{}"), known: JSON.parse(known ?? "{}") };
}
