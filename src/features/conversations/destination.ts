import { type EntityManager, In } from "typeorm";
import type { RequestContext } from "../../auth/context";
import { indexBy } from "../../common/coalesce";
import { isUuid } from "../../common/uuid";
import { coalesceKeysInTx } from "../../database/coalesce-in-tx";
import type { Tx } from "../../database/unit-of-work";
import { GatewayError, noSuch } from "../../errors";
import { findOfCaller } from "../agents/agent-scope";
import { Contact } from "../contacts/contact.entity";
import type { ContactAddress } from "../contacts/contact-address.entity";
import { normalized, ownersOf } from "../contacts/contact-addresses";
import { assertNotErased, lockContact } from "../contacts/find-contact";
import { addressesOf } from "../contacts/known-contact";
import { addressKindOf } from "../lines/address-kind";
import { Line, LineState } from "../lines/line.entity";
import { Conversation, ConversationState } from "./conversation.entity";
import type { ContactReference, LineReference } from "./conversation.inputs";
import type { Place } from "./find-conversation";

/** @returns the agents' lines with the referenced IDs or names */
export async function findLines(
  reader: EntityManager,
  agentIds: readonly string[],
  { id, name }: LineReference,
): Promise<Line[]> {
  const agentId = In(agentIds);
  if (id != null) return isUuid(id) ? reader.findBy(Line, { agentId, id }) : [];
  // PostgreSQL rejects strings that contain NUL or are not well-formed.
  return name == null || name.includes("\0") || !name.isWellFormed()
    ? []
    : reader.findBy(Line, { agentId, name });
}

/**
 * Finds a referenced contact and locks it until the transaction ends.
 * @throws GatewayError `not_found`, or `conflict` for an erased contact
 */
export async function lockReferenced(
  tx: Tx,
  context: RequestContext,
  agentId: string,
  reference: ContactReference,
): Promise<Contact> {
  const id = await idOf(tx, context, agentId, reference);
  const contact = id === undefined ? undefined : await lockContact(tx, context, id);
  if (contact === undefined || contact.agentId !== agentId) throw noSuch("contact");
  assertNotErased(contact);
  return contact;
}

async function idOf(
  tx: Tx,
  context: RequestContext,
  agentId: string,
  { id, ref, address }: ContactReference,
): Promise<string | undefined> {
  if (id != null) return (await findOfCaller(tx, context, Contact, id))?.id;
  if (ref != null) return (await tx.findOneBy(Contact, { agentId, ref }))?.id;
  if (address == null) return undefined;
  return (await ownersOf(tx, agentId, normalized([address])))[0];
}

/**
 * Returns the referenced line, or the agent's default line if there is no reference.
 * @throws GatewayError `not_found`, or `not_deliverable` if the agent has no default line
 */
export async function lineOf(
  tx: Tx,
  agentId: string,
  reference: LineReference | null | undefined,
): Promise<Line> {
  if (reference == null) {
    const line = await defaultLineOf(tx, agentId);
    if (line === undefined)
      throw new GatewayError("not_deliverable", "The agent has no default line. Specify a line.");
    return line;
  }
  const [line] = await findLines(tx, [agentId], reference);
  if (line === undefined) throw noSuch("line");
  return line;
}

/**
 * Returns the address where a line reaches a contact: a preferred address if possible, otherwise the oldest.
 * @throws GatewayError `not_deliverable` if the contact has no address of the line's kind
 */
export async function addressOn(
  tx: Tx,
  line: Line,
  contactId: string,
  isPreferred: (address: ContactAddress) => boolean,
): Promise<ContactAddress> {
  const address = reachedAt(line, (await addressesOf(tx, contactId)) ?? [], isPreferred);
  if (address === undefined) {
    throw new GatewayError(
      "not_deliverable",
      `The line "${line.name}" sends to addresses of kind "${addressKindOf(line)}", but the contact has no such address.`,
    );
  }
  return address;
}

/** Chooses one of the addresses like `addressOn`; undefined if the line reaches none of them. */
function reachedAt(
  line: Line,
  addresses: readonly ContactAddress[],
  isPreferred: (address: ContactAddress) => boolean,
): ContactAddress | undefined {
  const kind = addressKindOf(line);
  const all = addresses.filter((each) => each.kind === kind);
  return all.find(isPreferred) ?? all[0];
}

/** Returns the agent's default line and the address that it reaches; undefined if it reaches none. */
export async function placeOnDefaultLine(
  tx: Tx,
  contact: Contact,
  isPreferred: (address: ContactAddress) => boolean = () => false,
): Promise<Place | undefined> {
  const { id, agentId } = contact;
  const [line, addresses] = await Promise.all([defaultLineOf(tx, agentId), addressesOf(tx, id)]);
  const address = line && reachedAt(line, addresses ?? [], isPreferred);
  return line === undefined || address === undefined ? undefined : { line, contact, address };
}

/** Returns the place of the latest open conversation that reaches the contact; undefined if there is none. */
export async function latestPlace(tx: Tx, contact: Contact): Promise<Place | undefined> {
  const addresses = (await addressesOf(tx, contact.id)) ?? [];
  const reached = addresses.filter(
    ({ optedOutAt, undeliverableAt }) => optedOutAt === null && undeliverableAt === null,
  );
  const open = await tx.find(Conversation, {
    where: { contactId: contact.id, state: ConversationState.open },
    order: { updatedAt: "DESC", id: "DESC" },
  });
  for (const { lineId, addressId } of open) {
    const address = reached.find(({ id }) => id === addressId);
    const line = address && (await lineById(tx, lineId));
    if (address !== undefined && line !== undefined && line.state !== LineState.archived)
      return { line, contact, address };
  }
  return undefined;
}

/** Returns an agent's default line. Cached for the transaction, which therefore must not change lines. */
const defaultLineOf = coalesceKeysInTx(
  async (tx: Tx, agentIds) => {
    const lines = await tx.findBy(Line, { agentId: In(agentIds), isDefault: true });
    for (const line of lines) lineById.set(tx, line.id, line);
    return indexBy(lines, ({ agentId }) => agentId);
  },
  { cache: true },
);

/** Returns a line by ID. Cached for the transaction, which therefore must not change lines. */
export const lineById = coalesceKeysInTx(
  async (tx: Tx, ids) => indexBy(await tx.findBy(Line, { id: In(ids) }), ({ id }) => id),
  { cache: true },
);

/** @throws GatewayError `not_deliverable` */
export function assertInUse({ name, state }: Line): void {
  if (state === LineState.archived)
    throw new GatewayError("not_deliverable", `The line "${name}" is archived.`);
}
