import type { Tx } from "../../database/unit-of-work";
import type { CompiledConfigurations } from "../configuration/compiled-configurations";
import { contactIdOf, lockContacts } from "../contacts/known-contact";
import { LineState } from "../lines/line.entity";
import { placeOnDefaultLine } from "./destination";
import type { Place } from "./find-conversation";

/** Finds the conversations with agents' default contacts, for messages that specify no contact. */
export class DefaultConversations {
  constructor(private readonly compiledConfigurations: CompiledConfigurations) {}

  /**
   * Finds the places of agents' conversations with their default contacts, and locks these contacts.
   * @returns the places by agent ID; omits agents whose default line is archived or reaches no such contact
   */
  async lockPlaces(tx: Tx, agentIds: readonly string[]): Promise<Map<string, Place>> {
    if (agentIds.length === 0) return new Map();
    const refs = await this.compiledConfigurations.defaultContacts(tx, [...new Set(agentIds)]);
    const ids = await Promise.all([...refs].map(([agentId, ref]) => contactIdOf(tx, { agentId, ref })));
    const contacts = await lockContacts(
      tx,
      ids.flatMap((id) => id ?? []),
    );
    const places = await Promise.all(
      [...contacts.values()].map((contact) => placeOnDefaultLine(tx, contact)),
    );
    return new Map(
      places.flatMap((place) =>
        place === undefined || place.line.state === LineState.archived
          ? []
          : [[place.address.agentId, place]],
      ),
    );
  }
}
