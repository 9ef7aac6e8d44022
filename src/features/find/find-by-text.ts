import { In } from "typeorm";
import { Agent } from "../agents/agent.entity";
import { ApiKey } from "../api-keys/api-key.entity";
import { narrowToText } from "../api-keys/key-search";
import { type Address, normalizeAddress, readPhone } from "../contacts/addresses";
import { Contact } from "../contacts/contact.entity";
import { AddressKind, ContactAddress } from "../contacts/contact-address.entity";
import { searchContacts } from "../contacts/search-contacts";
import { Decision } from "../decisions/decision.entity";
import { Line } from "../lines/line.entity";
import { Member } from "../members/member.entity";
import { MAX_PER_KIND } from "./find.limits";
import type { Found } from "./find.types";
import {
  agentRow,
  contactRows,
  decisionRow,
  type FindScope,
  type FoundRow,
  keyRow,
  lineRow,
  memberRow,
  withAgentNames,
} from "./found";

/** SQL condition for an organization's agents. */
const AGENTS = "IN (SELECT id FROM agent WHERE organization_id = :organizationId AND deleted_at IS NULL)";

/** Max rows of each kind (agents, lines, members) to compare by name, newest first. */
const MAX_EXAMINED = 1_000;

/** Matches the address in an e-mail address with a display name, as copied from mail clients. */
const NAMED_ADDRESS = /<([^<>]+)>\s*$/;

/** Finds resources by name, address or key. */
export async function findByText(scope: FindScope, text: string): Promise<Found[]> {
  const rows = [
    ...(scope.reads ? [...(await findContacts(scope, text)), ...(await findDecisions(scope, text))] : []),
    ...(await findNamed(scope, text)),
  ];
  return withAgentNames(scope.reader, rows);
}

async function findContacts({ reader, organizationId }: FindScope, text: string): Promise<FoundRow[]> {
  const addresses = addressesIn(text);
  const owners =
    addresses.length === 0
      ? []
      : await reader
          .createQueryBuilder(ContactAddress, "address")
          .where(`address.agent_id ${AGENTS}`, { organizationId })
          .andWhere({ kind: addresses[0]?.kind, address: In(addresses.map(({ address }) => address)) })
          .take(MAX_PER_KIND)
          .getMany();
  const named = await searchContacts(
    reader,
    { organizationId, text },
    { after: undefined, direction: "DESC", limit: MAX_PER_KIND },
  );
  const ids = [...new Set([...owners.map(({ contactId }) => contactId), ...named])].slice(0, MAX_PER_KIND);
  const contacts = ids.length === 0 ? [] : await reader.findBy(Contact, { id: In(ids) });
  const inOrder = contacts.sort((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id));
  return contactRows(reader, inOrder);
}

/** Parses and normalizes an address. A phone number without a country code yields all numbers it could represent. */
function addressesIn(text: string): Address[] {
  const address = (NAMED_ADDRESS.exec(text)?.[1] ?? text).replace(/^mailto:/i, "");
  const email = normalizeAddress(AddressKind.email, address);
  if ("address" in email) return [{ kind: AddressKind.email, address: email.address }];
  const { start, national } = readPhone(address);
  const phones = start === undefined ? national : [start, ...national];
  return phones.map((phone) => ({ kind: AddressKind.phone, address: phone }));
}

async function findDecisions({ reader, organizationId }: FindScope, key: string): Promise<FoundRow[]> {
  const decisions = await reader
    .createQueryBuilder(Decision, "decision")
    .where(`decision.agent_id ${AGENTS}`, { organizationId })
    .andWhere({ situationKey: key })
    .orderBy("decision.id", "DESC")
    .take(MAX_PER_KIND)
    .getMany();
  return decisions.map(decisionRow);
}

/**
 * Finds resources by part of their names. Compares names in JavaScript, because the databases fold case differently.
 */
async function findNamed({ reader, organizationId, manages }: FindScope, text: string): Promise<FoundRow[]> {
  const part = text.toLowerCase();
  const first = { where: { organizationId }, order: { id: "DESC" }, take: MAX_EXAMINED } as const;
  const named = <Row>(rows: Row[], namesOf: (row: Row) => string[]) =>
    rows
      .filter((row) => namesOf(row).some((name) => name.toLowerCase().includes(part)))
      .slice(0, MAX_PER_KIND);
  const agents = await reader.find(Agent, first);
  const members = await reader.find(Member, first);
  const rows = [
    ...named(agents, ({ name, slug }) => [name, slug]).map(agentRow),
    ...named(members, ({ email, name }) => [email, name ?? ""]).map(memberRow),
  ];
  if (!manages) return rows;
  const lines = await reader.find(Line, { ...first, where: { agent: { organizationId } } });
  const keys = reader.createQueryBuilder(ApiKey, "key").where({ organizationId });
  narrowToText(keys, text);
  const found = await keys.orderBy("key.id", "DESC").take(MAX_PER_KIND).getMany();
  return [...rows, ...named(lines, ({ name }) => [name]).map(lineRow), ...found.map(keyRow)];
}
