import { In } from "typeorm";
import type { Tx } from "../../database/unit-of-work";
import type { CompiledConfigurations } from "../configuration/compiled-configurations";
import { Contact } from "../contacts/contact.entity";
import { ContactAddress } from "../contacts/contact-address.entity";
import { lockContacts } from "../contacts/known-contact";
import { addressKindOf } from "../lines/address-kind";
import { Line, LineState } from "../lines/line.entity";
import type { Place } from "./find-conversation";

/** The conversations with the default contacts of agents, which messages without a contact join. */
export class DefaultConversations {
  constructor(private readonly compiledConfigurations: CompiledConfigurations) {}

  /**
   * Finds where the conversations with the default contacts of agents take place, and locks these contacts.
   * @returns the place by agent; none for an agent without a default contact that its default line reaches
   */
  async lockPlaces(tx: Tx, agentIds: readonly string[]): Promise<Map<string, Place>> {
    if (agentIds.length === 0) return new Map();
    const refs = await this.compiledConfigurations.defaultContacts(tx, [...new Set(agentIds)]);
    const places = refs.size === 0 ? [] : await placesOf(tx, refs);
    return new Map(places.map((place) => [place.address.agentId, place]));
  }
}

/** Locks the default contacts of agents and finds how their default lines reach them. */
async function placesOf(tx: Tx, refs: ReadonlyMap<string, string>): Promise<Place[]> {
  const wanted = await tx.findBy(
    Contact,
    [...refs].map(([agentId, ref]) => ({ agentId, ref })),
  );
  const ids = wanted.map(({ id }) => id);
  await lockContacts(tx, ids);
  const agentIds = wanted.map(({ agentId }) => agentId);
  const lines = await tx.findBy(Line, { agentId: In(agentIds), isDefault: true });
  // Those of an erased contact are gone.
  const addresses = await tx.find(ContactAddress, { where: { contactId: In(ids) }, order: { id: "ASC" } });
  return ids.flatMap((contactId) => {
    const agentId = wanted.find(({ id }) => id === contactId)?.agentId;
    const line = lines.find((each) => each.agentId === agentId && each.state !== LineState.archived);
    const address = addresses.find(
      (each) => each.contactId === contactId && line !== undefined && each.kind === addressKindOf(line),
    );
    return line === undefined || address === undefined ? [] : [{ line, address }];
  });
}
