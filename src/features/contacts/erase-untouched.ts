import { setTimeout as pause } from "node:timers/promises";
import type { EntityManager } from "typeorm";
import { systemFor } from "../../auth/context";
import { FairQueue } from "../../common/fair-queue";
import { DAY_MS, type Timestamp, timestampOf } from "../../common/time";
import { leastUuidAt } from "../../common/uuid";
import type { Config } from "../../config";
import type { Database } from "../../database/database";
import { placeholders } from "../../database/returning";
import type { HookRegistry } from "../../schema/hooks";
import { Agent } from "../agents/agent.entity";
import type { Organization } from "../organizations/organization.entity";
import { eraseContact } from "./erase-contact";
import type { Erasures } from "./erasures";
import { lockContacts } from "./known-contact";

/** The retention setting for contacts (days), and its default. */
export const CONTACT_RETENTION = { RETENTION_CONTACTS_DAYS: 0 };

/** Contacts examined before the next organization's turn. */
const PAGE = 200;

declare module "../../schema/hooks" {
  interface Hooks {
    /**
     * Returns the contacts, among the given ones, whose data in the feature changed at or after a time or is still in
     * use.
     */
    contactsInUse: (
      reader: EntityManager,
      contactIds: readonly string[],
      since: Timestamp,
    ) => Promise<readonly string[]>;
  }
}

/** Erases contacts that nothing has touched for the days of the retention setting. */
export class UntouchedContacts {
  constructor(
    private readonly database: Database,
    private readonly erasures: Erasures,
    private readonly hooks: HookRegistry,
    private readonly config: Pick<Config, "retention">,
  ) {}

  /**
   * Erases the untouched contacts of all agents, one contact at a time. Organizations take turns.
   * @param signal stops the run after the current contact
   */
  async erase(signal: AbortSignal): Promise<void> {
    const { RETENTION_CONTACTS_DAYS: days } = { ...CONTACT_RETENTION, ...this.config.retention };
    if (days === 0) return;
    const since = timestampOf(Date.now() - days * DAY_MS);
    const agents = await this.database.read((reader) =>
      reader.find(Agent, { relations: { organization: true }, order: { id: "ASC" } }),
    );
    const turns = new FairQueue<{ agent: Agent; after: string }>();
    for (const agent of agents) turns.add(agent.organizationId, { agent, after: "" });
    for (let turn = turns.next(); turn !== undefined && !signal.aborted; turn = turns.next()) {
      const { agent, after } = turn;
      const ids = await this.eraseSome(agent, after, since, signal);
      if (ids.length === PAGE) turns.add(agent.organizationId, { agent, after: ids.at(-1) as string });
    }
  }

  /** @returns the IDs of the examined contacts, in order */
  private async eraseSome(
    { id: agentId, organizationId: owner, organization }: Agent,
    after: string,
    since: Timestamp,
    signal: AbortSignal,
  ): Promise<string[]> {
    const context = systemFor(organization as Organization);
    const { ids, untouched } = await this.database.report(owner, async (reader) => {
      const rows: { id: string }[] = await reader.query(
        "select id from contact where agent_id = $1 and erased_at is null and id > $2 and id < $3 order by id limit $4",
        [agentId, after, leastUuidAt(Date.parse(since)), PAGE],
      );
      const ids = rows.map(({ id }) => id);
      return { ids, untouched: await this.untouchedAmong(reader, ids, since) };
    });
    for (const id of untouched) {
      if (signal.aborted) return ids;
      const began = performance.now();
      const isErased = await this.database.writeFor(owner, async (tx) => {
        const contact = (await lockContacts(tx, [id])).get(id);
        // The contact may have been touched or erased since it was read.
        if (contact === undefined || contact.erasedAt !== null) return false;
        if ((await this.untouchedAmong(tx, [id], since)).length === 0) return false;
        await eraseContact(tx, context, contact, this.erasures);
        return true;
      });
      if (isErased) await this.erasures.complete(id, owner, signal);
      await pause(performance.now() - began, undefined, { signal, ref: false }).catch(() => undefined);
    }
    return ids;
  }

  private async untouchedAmong(
    reader: EntityManager,
    ids: readonly string[],
    since: Timestamp,
  ): Promise<string[]> {
    if (ids.length === 0) return [];
    const rows: { id: string }[] = await reader.query(
      `select id from contact
       where updated_at < $1 and id in ${placeholders(1, ids.length, 2)}
         and not exists (
           select 1 from contact_tag where contact_tag.contact_id = contact.id and added_at >= $1)
         and not exists (
           select 1 from contact_address join consent on consent.address_id = contact_address.id
           where contact_address.contact_id = contact.id and consent.changed_at >= $1)
       order by id`,
      [since, ...ids],
    );
    let left = rows.map(({ id }) => id);
    for (const inUse of this.hooks.of("contactsInUse")) {
      if (left.length === 0) break;
      const used = new Set(await inUse(reader, left, since));
      left = left.filter((id) => !used.has(id));
    }
    return left;
  }
}
