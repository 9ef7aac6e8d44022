import type { EntityManager } from "typeorm";
import { systemFor } from "../../auth/context";
import { FairQueue } from "../../common/fair-queue";
import { DAY_MS, type Timestamp, timestampOf } from "../../common/time";
import type { Config } from "../../config";
import { nextLimit, Pace } from "../../database/chunks";
import type { Database } from "../../database/database";
import { placeholders } from "../../database/returning";
import type { Tx } from "../../database/unit-of-work";
import type { HookRegistry } from "../../schema/hooks";
import { Agent } from "../agents/agent.entity";
import type { Organization } from "../organizations/organization.entity";
import type { Contact } from "./contact.entity";
import { eraseContacts } from "./erase-contact";
import { type Erasures, MAX_ERASED } from "./erasures";
import { lockContacts } from "./known-contact";

/** The retention setting for contacts (days), and its default. */
export const CONTACT_RETENTION = { RETENTION_CONTACTS_DAYS: 0 };

/** Max contacts examined in an agent's first turn. */
const FIRST_CONTACTS = 100;

/** The time of a contact's last activity; null while the contact is in use. */
export interface ContactTouch {
  id: string;
  at: Timestamp | null;
}

declare module "../../schema/hooks" {
  interface Hooks {
    /** Returns when the feature's data about contacts last changed, possibly more than once per contact. */
    contactsTouched: (
      reader: EntityManager,
      contactIds: readonly string[],
    ) => Promise<readonly ContactTouch[]>;
  }
}

/** The contacts to examine next: an agent's contacts after a position, ordered by `touchedAt` and ID. */
interface Turn {
  agent: Agent;
  after: Pick<Contact, "id"> & { touchedAt: string };
  limit: number;
}

/** Erases contacts that have not been touched within the retention period. */
export class UntouchedContacts {
  constructor(
    private readonly database: Database,
    private readonly erasures: Erasures,
    private readonly hooks: HookRegistry,
    private readonly config: Pick<Config, "retention">,
  ) {}

  /**
   * Erases the untouched contacts of all agents, several at a time. Organizations take turns.
   * @param signal stops the run after the current transaction
   */
  async erase(signal: AbortSignal): Promise<void> {
    const { RETENTION_CONTACTS_DAYS: days } = { ...CONTACT_RETENTION, ...this.config.retention };
    if (days === 0) return;
    const since = timestampOf(Date.now() - days * DAY_MS);
    const pace = new Pace(this.database);
    const agents = await this.database.read((reader) =>
      reader.find(Agent, { relations: { organization: true }, order: { id: "ASC" } }),
    );
    const turns = new FairQueue<Turn>();
    for (const agent of agents)
      turns.add(agent.organizationId, { agent, after: { touchedAt: "", id: "" }, limit: FIRST_CONTACTS });
    for (let turn = turns.next(); turn !== undefined && !signal.aborted; turn = turns.next()) {
      const next = await this.eraseSome(turn, since, { signal, pace });
      if (next !== undefined) turns.add(turn.agent.organizationId, next);
    }
  }

  /** @returns the agent's next turn; undefined if there are no more contacts to examine */
  private async eraseSome(
    { agent, after, limit }: Turn,
    since: Timestamp,
    { signal, pace }: { signal: AbortSignal; pace: Pace },
  ): Promise<Turn | undefined> {
    const { id: agentId, organizationId: owner, organization } = agent;
    const context = systemFor(organization as Organization);
    const { rows, touched } = await this.database.report(owner, async (reader) => {
      const rows: Turn["after"][] = await reader.query(
        `select id, touched_at as "touchedAt" from contact
         where agent_id = $1 and touched_at < $2 and (touched_at, id) > ($3, $4)
         order by touched_at, id limit $5`,
        [agentId, since, after.touchedAt, after.id, limit],
      );
      const ids = rows.map(({ id }) => id);
      return { rows, touched: await this.lastTouches(reader, ids, since) };
    });
    const last = rows.at(-1);
    if (last === undefined) return undefined;
    const done = await pace.write(
      async (tx) => {
        const ids = rows.map(({ id }) => id);
        const locked = await lockContacts(tx, ids, { skipLocked: true });
        await raise(
          tx,
          touched.filter(({ id, at }) => locked.has(id) && at >= since),
        );
        const untouched = touched.flatMap(({ id, at }) => (locked.has(id) && at < since ? id : []));
        // The contacts may have been touched or erased since they were read.
        const still = await this.lastTouches(tx, untouched, since);
        const contacts = still.flatMap(({ id, at }) => (at < since ? (locked.get(id) as Contact) : []));
        const erased = contacts.filter(({ erasedAt }) => erasedAt === null);
        await eraseContacts(tx, context, erased, this.erasures);
        return erased.map(({ id }) => id);
      },
      { owner, signal },
    );
    if (done === undefined) return undefined;
    await this.erasures.complete(done.result, { owner, signal, pace });
    if (rows.length < limit) return undefined;
    return { agent, after: last, limit: nextLimit(limit, done.took, MAX_ERASED) };
  }

  /** @returns when each contact was last touched; for contacts in use, a day after `since`, to recheck them */
  private async lastTouches(
    reader: EntityManager,
    ids: readonly string[],
    since: Timestamp,
  ): Promise<{ id: string; at: Timestamp }[]> {
    if (ids.length === 0) return [];
    const these = placeholders(1, ids.length);
    const own: { id: string; at: Timestamp }[] = await reader.query(
      `select id, updated_at as at from contact where id in ${these}
       union all
       select contact_id, max(added_at) from contact_tag where contact_id in ${these} group by contact_id
       union all
       select contact_id, max(consent.changed_at) from contact_address
       join consent on consent.address_id = contact_address.id where contact_id in ${these} group by contact_id`,
      [...ids],
    );
    const last = new Map<string, Timestamp>();
    const later = timestampOf(Date.parse(since) + DAY_MS);
    const add = ({ id, at }: ContactTouch) => {
      const touch = at ?? later;
      if (touch > (last.get(id) ?? "")) last.set(id, touch);
    };
    own.forEach(add);
    for (const touchedIn of this.hooks.of("contactsTouched")) (await touchedIn(reader, ids)).forEach(add);
    return [...last].map(([id, at]) => ({ id, at }));
  }
}

/** Stores when locked contacts were last touched. */
async function raise(tx: Tx, touched: readonly { id: string; at: Timestamp }[]): Promise<void> {
  if (touched.length === 0) return;
  await tx.query(
    `with touched (id, at) as (values ${placeholders(touched.length, 2)})
     update contact set touched_at = touched.at from touched where contact.id = touched.id and touched_at is not null`,
    touched.flatMap(({ id, at }) => [id, at]),
  );
}
