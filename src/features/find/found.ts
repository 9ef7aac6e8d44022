import { type EntityManager, In } from "typeorm";
import type { RequestContext } from "../../auth/context";
import { indexBy } from "../../common/coalesce";
import { groupBy } from "../../common/group-by";
import { Agent } from "../agents/agent.entity";
import type { ApiKey } from "../api-keys/api-key.entity";
import type { Contact } from "../contacts/contact.entity";
import { ContactAddress } from "../contacts/contact-address.entity";
import type { Decision } from "../decisions/decision.entity";
import type { Line } from "../lines/line.entity";
import type { Member } from "../members/member.entity";
import type { Found, FoundKind } from "./find.types";

/** The organization to search, and the member's access to it. */
export interface FindScope {
  reader: EntityManager;
  context: RequestContext;
  organizationId: string;
  /** True if the member may see keys, lines and webhooks. */
  manages: boolean;
  /** True if the member may see contacts and their messages. */
  reads: boolean;
}

/** A found resource, with its agent's ID if it belongs to an agent. */
export type FoundRow = Omit<Found, "agentName"> & { agentId: string | null };

/** Describes a found resource; by default, clients link to the resource itself. */
export const foundRow = (
  kind: FoundKind,
  id: string,
  title: string | null,
  more: Partial<Pick<FoundRow, "detail" | "subject" | "eventId" | "agentId">> = {},
): FoundRow => ({
  ...{ kind, id, title, detail: null, agentId: null, subject: `${kind}:${id}`, eventId: null },
  ...more,
});

export const keyRow = ({ id, name, hint, agentId }: ApiKey): FoundRow =>
  foundRow("api_key", id, name, { detail: hint, agentId });

export const agentRow = ({ id, name, slug }: Agent): FoundRow =>
  foundRow("agent", id, name, { detail: slug });

export const lineRow = ({ id, name, agentId }: Line): FoundRow => foundRow("line", id, name, { agentId });

export const memberRow = ({ id, email, name }: Member): FoundRow =>
  foundRow("member", id, name ?? email, { detail: name && email });

export const decisionRow = ({ id, situationType, situationKey, agentId }: Decision): FoundRow =>
  foundRow("decision", id, situationType, { detail: situationKey, agentId });

/** Describes contacts by their names or, if they have none, by their `ref` or first address. */
export async function contactRows(reader: EntityManager, contacts: readonly Contact[]): Promise<FoundRow[]> {
  const addresses = await reader.find(ContactAddress, {
    where: { contactId: In(contacts.map(({ id }) => id)) },
    order: { id: "ASC" },
  });
  const byContact = groupBy(addresses, ({ contactId }) => contactId);
  return contacts.map(({ id, name, ref, agentId }) => {
    const address = byContact.get(id)?.[0]?.address ?? null;
    const title = name ?? ref ?? address;
    return foundRow("contact", id, title, { detail: address === title ? null : address, agentId });
  });
}

/** Adds the agents' names. */
export async function withAgentNames(reader: EntityManager, rows: readonly FoundRow[]): Promise<Found[]> {
  const ids = [...new Set(rows.flatMap(({ agentId }) => agentId ?? []))];
  const agents = ids.length === 0 ? [] : await reader.findBy(Agent, { id: In(ids) });
  const byId = indexBy(agents, ({ id }) => id);
  return rows.map(({ agentId, ...found }) => ({
    ...found,
    agentName: agentId === null ? null : (byId.get(agentId)?.name ?? null),
  }));
}
