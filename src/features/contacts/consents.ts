import { type EntityManager, In, IsNull, MoreThan } from "typeorm";
import { v7 as uuid } from "uuid";
import { indexBy } from "../../common/coalesce";
import { timestamp } from "../../common/time";
import type { InstanceKey } from "../../credentials/instance-key";
import { changeTogether } from "../../database/change-together";
import { coalesceKeysInTx } from "../../database/coalesce-in-tx";
import type { Tx } from "../../database/unit-of-work";
import { updatesOf } from "../../database/updates-of";
import type { InstanceKeyService } from "../../instance-key/instance-key.service";
import type { HookRegistry } from "../../schema/hooks";
import { recordEvents } from "../events/record-events";
import { ALL_TOPICS, Consent, ConsentState } from "./consent.entity";
import type { Contact } from "./contact.entity";
import { ContactAddress } from "./contact-address.entity";
import { contactEvent } from "./contact-events";
import { lockAdditions } from "./known-contact";
import type { Subscription } from "./unsubscribe-links";

/** An address; `id` is undefined if no contact has it. */
type AnyAddress = Pick<ContactAddress, "agentId" | "kind" | "address"> &
  Partial<Pick<ContactAddress, "id" | "optedOutAt">>;

/**
 * A consent to store for addresses of a locked contact. If `contact` is null, no contact has the addresses,
 * which was checked while holding the `lockAdditions` lock.
 */
export interface NewConsent extends Pick<Consent, "topic" | "state" | "source" | "evidence"> {
  contact: Contact | null;
  addresses: readonly AnyAddress[];
}

/** Returns a hash that identifies an address even after it is deleted. */
const hashOf = (
  key: InstanceKey,
  { agentId, kind, address }: Pick<ContactAddress, "agentId" | "kind" | "address">,
): string => key.hash(`consent ${agentId} ${kind} ${address}`);

/** Max consents stored or rehashed per statement. */
const MAX_TOGETHER = 500;

interface Wanted extends Omit<NewConsent, "addresses"> {
  address: AnyAddress;
  addressHash: string;
}

/** Identifies messages that may no longer be sent to an address: all messages, or messages about a topic. */
export type Withdrawn = Pick<ContactAddress, "id"> & Pick<Consent, "topic">;

declare module "../../schema/hooks" {
  interface Hooks {
    /** Cancels unsent messages after withdrawn consents of locked contacts; implemented by one feature. */
    consentsWithdrawn: (tx: Tx, withdrawn: readonly Withdrawn[]) => Promise<void>;
  }
}

/** Stores contacts' consents by a hash of the address, so that consents outlive addresses. */
export class Consents {
  constructor(
    private readonly instanceKey: InstanceKeyService,
    private readonly hooks: HookRegistry,
  ) {}

  /**
   * Stores consents, and cancels queued and scheduled messages that they no longer allow.
   * @returns the changed consents
   */
  async change(tx: Tx, consents: readonly NewConsent[]): Promise<Consent[]> {
    const changed = await this.store(tx, consents);
    const out = changed.filter(({ state }) => state === ConsentState.out);
    const withdrawn = out.flatMap(({ addressId: id, topic }) => (id === null ? [] : { id, topic }));
    if (withdrawn.length > 0) await this.hooks.the("consentsWithdrawn")(tx, withdrawn);
    return changed;
  }

  /**
   * Stores consents that are not in effect yet; the last consent for a topic wins.
   * @returns the changed consents
   */
  async store(tx: Tx, consents: readonly NewConsent[]): Promise<Consent[]> {
    if (consents.every(({ addresses }) => addresses.length === 0)) return [];
    const key = await this.instanceKey.required(tx);
    const wanted = new Map(
      consents.flatMap(({ addresses, ...each }) =>
        addresses.map((address): [string, Wanted] => {
          const addressHash = hashOf(key, address);
          return [nameOfConsent(addressHash, each.topic), { ...each, address, addressHash }];
        }),
      ),
    );
    const all = [...wanted.values()];
    const changed: Consent[] = [];
    for (let from = 0; from < all.length; from += MAX_TOGETHER)
      changed.push(...(await storeTogether(tx, all.slice(from, from + MAX_TOGETHER))));
    return changed;
  }

  /** Returns the consent for a topic and an address; undefined if none is stored. */
  async stateOf(
    reader: EntityManager,
    { topic, ...address }: Subscription,
  ): Promise<ConsentState | undefined> {
    const addressHash = hashOf(await this.instanceKey.current(), address);
    return (await reader.findOneBy(Consent, { addressHash, topic }))?.state;
  }

  /** Applies the stored consents to addresses that were just added. */
  async apply(tx: Tx, addresses: readonly ContactAddress[]): Promise<void> {
    const key = await this.instanceKey.available();
    const agentIds = addresses.map(({ agentId }) => agentId);
    if (key === undefined) {
      // Without the instance key, stored opt-outs for the addresses cannot be found.
      if (await tx.existsBy(Consent, { agentId: In([...new Set(agentIds)]) }))
        await this.instanceKey.current();
      return;
    }
    const byHash = new Map(addresses.map((address) => [hashOf(key, address), address]));
    await lockAdditions(tx, agentIds, "shared");
    const known = await tx.findBy(Consent, { addressHash: In([...byHash.keys()]) });
    if (known.length === 0) return;
    const optedOut: ContactAddress[] = [];
    for (const consent of known) {
      const address = byHash.get(consent.addressHash) as ContactAddress;
      consent.addressId = address.id;
      // Cached for later reads in this transaction, because a dry run does not store the consents.
      consentTo.set(tx, nameOfConsent(address.id, consent.topic), consent.state);
      if (consent.topic !== ALL_TOPICS || consent.state !== ConsentState.out) continue;
      address.optedOutAt = consent.changedAt;
      optedOut.push(address);
    }
    if (tx.isDryRun) return;
    await changeTogether(tx, [
      ...updatesOf(tx, Consent, known, ["addressId"]),
      ...updatesOf(tx, ContactAddress, optedOut, ["optedOutAt"]),
    ]);
  }
}

/** Stores consents, each for a different address or topic, unless they are already in effect. */
async function storeTogether(tx: Tx, wanted: readonly Wanted[]): Promise<Consent[]> {
  const known = await tx.findBy(Consent, {
    addressHash: In(wanted.map(({ addressHash }) => addressHash)),
    topic: In([...new Set(wanted.map(({ topic }) => topic))]),
  });
  const before = indexBy(known, ({ addressHash, topic }) => nameOfConsent(addressHash, topic));
  const changedAt = timestamp();
  const changed = wanted.flatMap((each) => {
    const { address, addressHash, topic, state, source, evidence } = each;
    const last = before.get(nameOfConsent(addressHash, topic));
    if (last?.state === state) return [];
    const about = {
      id: last?.id ?? uuid(),
      agentId: address.agentId,
      addressHash,
      addressId: address.id ?? null,
    };
    const consent = tx.create(Consent, { ...about, topic, state, source, evidence, changedAt });
    return [{ each, consent }];
  });
  const consents = changed.map(({ consent }) => consent);
  if (consents.length === 0) return consents;
  await tx.upsert(Consent, consents, ["addressHash", "topic"]);
  for (const state of [ConsentState.in, ConsentState.out]) {
    const marked = changed.filter(({ consent }) => consent.topic === ALL_TOPICS && consent.state === state);
    if (marked.length === 0) continue;
    const optedOutAt = state === ConsentState.out ? changedAt : null;
    for (const { each } of marked) each.address.optedOutAt = optedOutAt;
    const ids = marked.flatMap(({ each }) => each.address.id ?? []);
    await tx.update(ContactAddress, { id: In(ids) }, { optedOutAt });
  }
  recordEvents(
    tx,
    changed.flatMap(({ each: { contact }, consent: { addressId, topic, state, source } }) =>
      contact === null
        ? []
        : contactEvent("contact.consent_changed", contact, { addressId, topic, state, source }),
    ),
  );
  return consents;
}

/** Returns a consent's key: its address's ID or hash, and its topic. */
export const nameOfConsent = (address: string, topic: string): string => `${address} ${topic}`;

/** Returns the consent for a key from `nameOfConsent`; the transaction must have locked the contact. */
export const consentTo = coalesceKeysInTx(
  async (tx: Tx, names): Promise<ReadonlyMap<string, ConsentState>> => {
    const pairs = names.map((name) => name.split(" ") as [string, string]);
    const consents = await tx.findBy(Consent, {
      addressId: In(pairs.map(([addressId]) => addressId)),
      topic: In(pairs.map(([, topic]) => topic)),
    });
    return new Map(
      consents.map(({ addressId, topic, state }) => [nameOfConsent(addressId as string, topic), state]),
    );
  },
  { cache: true },
);

/** Anonymizes contacts' consents before the contacts' addresses are deleted. */
export async function detachConsents(tx: Tx, contactIds: readonly string[]): Promise<void> {
  await tx
    .createQueryBuilder()
    .update(Consent)
    .set({ addressId: null, evidence: null })
    .where("address_id IN (SELECT id FROM contact_address WHERE contact_id IN (:...contactIds))", {
      contactIds,
    })
    .execute();
}

/** Rehashes consents with a new instance key; consents for addresses that are no longer stored are lost. */
export async function rehashConsents(tx: Tx, key: InstanceKey): Promise<void> {
  await tx.delete(Consent, { addressId: IsNull() });
  for (let after = ""; ; ) {
    const consents = await tx.find(Consent, {
      where: { id: MoreThan(after) },
      order: { id: "ASC" },
      take: MAX_TOGETHER,
    });
    const addresses = indexBy(
      await tx.findBy(ContactAddress, { id: In(consents.map(({ addressId }) => addressId)) }),
      ({ id }) => id,
    );
    for (const consent of consents) {
      const address = addresses.get(consent.addressId ?? "");
      if (address !== undefined) consent.addressHash = hashOf(key, address);
    }
    await changeTogether(tx, updatesOf(tx, Consent, consents, ["addressHash"]));
    if (consents.length < MAX_TOGETHER) return;
    after = (consents.at(-1) as Consent).id;
  }
}
