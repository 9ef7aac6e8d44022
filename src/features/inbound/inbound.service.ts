import { type EntityManager, IsNull, MoreThan, Not } from "typeorm";
import type { Timestamp } from "../../common/time";
import { HOUR_MS, timestamp } from "../../common/time";
import { isUuid } from "../../common/uuid";
import { isSignedBy, type WebhookSignature } from "../../credentials/webhook-signature";
import type { Database } from "../../database/database";
import type { Tx } from "../../database/unit-of-work";
import type { Lanes } from "../../delivery/lanes";
import { GatewayError, InvalidInput, noSuch } from "../../errors";
import { InstanceKeyError, type InstanceKeyService } from "../../instance-key/instance-key.service";
import { signingSecretsOf } from "../../instance-key/signing-secrets";
import type { RejectedTokens } from "../../rate-limits/rejected-tokens";
import { Agent } from "../agents/agent.entity";
import type { Address } from "../contacts/addresses";
import { normalizeAddress } from "../contacts/addresses";
import type { Contact } from "../contacts/contact.entity";
import { AddressKind, ContactAddress } from "../contacts/contact-address.entity";
import { contactEvent } from "../contacts/contact-events";
import { addressesOf, lockKnownContact } from "../contacts/known-contact";
import { putContact } from "../contacts/put-contact";
import { Conversation, ConversationState, Handler } from "../conversations/conversation.entity";
import { cancelQueued } from "../conversations/conversation-changes";
import { lockConversations } from "../conversations/find-conversation";
import { openConversation } from "../conversations/open-conversation";
import { queueMessages, storeSequences } from "../conversations/queue-messages";
import type { SituationTriggers } from "../decisions/situation-triggers";
import { recordEvents } from "../events/record-events";
import { addressKindOf } from "../lines/address-kind";
import { Line, LineKind, LineState } from "../lines/line.entity";
import { insertReceived } from "../messages/insert-messages";
import {
  MESSAGE_ORDER,
  Message,
  MessageAuthor,
  MessageDirection,
  MessageError,
  MessageStatus,
} from "../messages/message.entity";
import type { Receipt, Receipts } from "../messages/receipts";
import type { EarlyReceipts } from "./early-receipts";
import { optOutIntent } from "./opt-out";

/** Max attempts while others change the contact. */
const MAX_ATTEMPTS = 5;

/** How long a confirmation counts for the next ones (ms): each message may cost money. */
const CONFIRMED_MS = HOUR_MS;

const SYSTEM = MessageAuthor.system;

/** An inbound message. */
export interface Inbound {
  /** Its ID in the system that it comes from. */
  providerId: string;
  /** The address of the contact, in any form. */
  from: string;
  /** Name of a contact that is not known yet; null for none. */
  name: string | null;
  text: string;
  /** The text without quotes, which may be an opt-out; `text` if undefined. */
  replyText?: string;
  sentAt: Timestamp;
  /** Description of the parts that were not stored, for people. */
  omitted: string | null;
  /** True if a program wrote it; it must not be answered. */
  isAutomatic: boolean;
}

/** An inbound message with its sender. */
export interface Received {
  message: Message;
  contactId: string;
  /** True if it was stored now, and not by an earlier request. */
  isNew: boolean;
}

/** Receives what contacts write, and what other systems report about messages that they were sent. */
export class InboundService {
  constructor(
    private readonly database: Database,
    private readonly lanes: Lanes,
    private readonly instanceKey: InstanceKeyService,
    private readonly rejectedTokens: RejectedTokens,
    private readonly situationTriggers: SituationTriggers,
    private readonly receipts: Receipts,
    private readonly earlyReceipts: EarlyReceipts,
  ) {}

  /**
   * The line that a request names, with its organization and the secrets that are valid now.
   * @param ip address of the client, which may not guess IDs of lines without end
   * @throws GatewayError `invalid_signature` for a line that does not exist or has no secret, `too_many_attempts`,
   *   `unavailable` without the instance key
   */
  async lineFor(
    id: string,
    ip: string | null,
  ): Promise<{ line: Line; organizationId: string; secrets: readonly string[] }> {
    const line = await this.rejectedTokens.find(
      isUuid(id) ? `line:${id.toLowerCase()}` : undefined,
      ip,
      async () => (await this.database.read((reader) => lineOfAgent(reader, id.toLowerCase()))) ?? undefined,
    );
    if (line === undefined || line.secretGeneration === 0) throw new GatewayError("invalid_signature");
    try {
      const { organizationId } = line.agent;
      return { line, organizationId, secrets: signingSecretsOf(line, await this.instanceKey.current()) };
    } catch (error) {
      // The sender is not at fault, and must try again.
      if (error instanceof InstanceKeyError)
        throw new GatewayError("unavailable", undefined, { cause: error });
      throw error;
    }
  }

  /** @throws GatewayError `invalid_signature` */
  async assertSigned(signature: WebhookSignature, body: Buffer, secrets: readonly string[]): Promise<void> {
    if (!(await isSignedBy(signature, body, secrets))) throw new GatewayError("invalid_signature");
  }

  /**
   * Stores what a contact wrote, and lets the agent decide about it once no more messages follow. The same ID on the same
   * line is stored once. A message that only says STOP or START opts the address out or in.
   * @throws GatewayError `invalid_request` with the path `from`, or `conflict` for an archived line
   */
  async receive(line: Line, inbound: Inbound): Promise<Received> {
    const kind = addressKindOf(line);
    const found = normalizeAddress(kind, inbound.from);
    if ("problem" in found) throw new InvalidInput([{ path: "from", message: found.problem }]);
    const from = { kind, address: found.address };
    const repeat = () => this.database.read((reader) => repeatOf(reader, line, inbound));
    if (line.state === LineState.archived) {
      const known = await repeat();
      if (known !== undefined) return known;
      throw new GatewayError("conflict", "The line is archived.");
    }
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.database.writeFor(line.agent?.organizationId, (tx) =>
          this.store(tx, line, from, inbound),
        );
      } catch (error) {
        // A concurrent request may have stored the same ID from another address.
        const known = await repeat();
        if (known !== undefined) return known;
        if (!(error instanceof GatewayError) || error.code !== "conflict") throw error;
        // The sender is not at fault that others change the contact, and must try again.
        if (attempt === MAX_ATTEMPTS) throw new GatewayError("unavailable", undefined, { cause: error });
      }
    }
  }

  /**
   * Applies a receipt. One that names a message by an ID of the receiver's that is not known yet is kept until it is.
   * @returns the message as it is now; undefined for a receipt that is kept
   * @throws GatewayError `not_found`
   */
  async report(line: Line, receipt: Omit<Receipt, "lineId">): Promise<Message | undefined> {
    const message = await this.receipts.apply(
      { ...receipt, lineId: line.id },
      { owner: line.agent?.organizationId },
    );
    if (message !== undefined) return message;
    if (!("providerId" in receipt.message)) throw noSuch("message on the line");
    const { providerId } = receipt.message;
    await this.earlyReceipts.keep(line, { ...receipt, message: { providerId } });
    return undefined;
  }

  private async store(tx: Tx, line: Line, from: Address, inbound: Inbound): Promise<Received> {
    const { agentId, optOutReply } = line;
    const known = await lockKnownContact(tx, { agentId, address: from });
    // The lock of the contact makes simultaneous repeats wait for each other. Without one it may have been erased, and a
    // repeat must not bring it back.
    const repeat = await repeatOf(tx, line, inbound);
    if (repeat !== undefined) return repeat;
    const added = known === null ? await addContact(tx, agentId, from, inbound.name) : null;
    const second = added && (await repeatOf(tx, line, inbound));
    if (second != null) return second;
    const { contact, addresses } = (known ?? added) as NonNullable<typeof known>;
    const address = addresses.find((each) => each.kind === from.kind && each.address === from.address);
    // It was taken from the contact while this transaction waited for its lock.
    if (address === undefined) throw new GatewayError("conflict", "The address has moved.");
    const intent = optOutIntent(inbound.replyText ?? inbound.text);
    const optsOut = intent === "out" && address.optedOutAt === null;
    const optsIn = intent === "in" && address.optedOutAt !== null;
    if (optsOut || optsIn) await this.setOptedOut(tx, contact, address, line, optsOut ? timestamp() : null);
    if (optsOut) await this.cancelAt(tx, address, MessageError.opted_out, (author) => author !== SYSTEM);
    if (optsIn) await this.cancelAt(tx, address, MessageError.canceled, (author) => author === SYSTEM);
    const { conversation } = await openConversation(tx, { line, address });
    const store = (decisionId: string | null) => this.insert(tx, line, conversation, inbound, decisionId);
    const isDecided =
      intent !== "out" &&
      !optsIn &&
      !inbound.isAutomatic &&
      !(await isOwnAddress(tx, agentId, from)) &&
      conversation.handler === Handler.agent &&
      (await isActive(tx, agentId));
    const message = isDecided
      ? await this.situationTriggers.received(tx, conversation, store)
      : await store(null);
    if (optsOut && optOutReply !== null && !(await isConfirmed(tx, address))) {
      const confirmation = { message: optOutReply, author: SYSTEM, answeredAddressId: address.id };
      await queueMessages(tx, this.lanes, [{ agentId, conversation, ...confirmation }]);
    }
    return { message, contactId: contact.id, isNew: true };
  }

  private async insert(
    tx: Tx,
    { id: lineId, agentId }: Line,
    conversation: Conversation,
    { providerId, text, sentAt, omitted }: Inbound,
    decisionId: string | null,
  ): Promise<Message> {
    await tx.lockInsertOrder(MESSAGE_ORDER, [agentId]);
    conversation.lastSequence += 1;
    const message = await insertReceived(tx, this.lanes, {
      agentId,
      lineId,
      conversationId: conversation.id,
      sequence: conversation.lastSequence,
      message: text,
      providerId,
      sentAt,
      omitted,
      decisionId,
    });
    await storeSequences(tx, [conversation]);
    return message;
  }

  private async setOptedOut(
    tx: Tx,
    contact: Contact,
    { id: addressId }: ContactAddress,
    { id: lineId }: Line,
    optedOutAt: Timestamp | null,
  ): Promise<void> {
    await tx.update(ContactAddress, { id: addressId }, { optedOutAt });
    const type = optedOutAt === null ? "contact.opted_in" : "contact.opted_out";
    recordEvents(tx, [contactEvent(type, contact, { addressId, lineId })]);
  }

  /** Cancels what some authors have queued for an address, on all lines. */
  private async cancelAt(
    tx: Tx,
    { id: addressId }: ContactAddress,
    errorCode: MessageError,
    isMeant: (author: MessageAuthor) => boolean,
  ): Promise<void> {
    const open = await tx.findBy(Conversation, { addressId, state: ConversationState.open });
    if (open.length === 0) return;
    const ids = open.map(({ id }) => id);
    for (const conversation of (await lockConversations(tx, ids)).values()) {
      await cancelQueued(tx, this.lanes, conversation, {
        isMeant: ({ author }) => isMeant(author),
        errorCode,
      });
    }
  }
}

/** Adds a contact with an address, unless another request has added it meanwhile. */
async function addContact(
  tx: Tx,
  agentId: string,
  address: Address,
  name: string | null,
): Promise<{ contact: Contact; addresses: readonly ContactAddress[] }> {
  const { contact } = await putContact(tx, agentId, {
    addresses: [address],
    ...(name !== null && { name }),
  });
  return { contact, addresses: (await addressesOf(tx, contact.id)) ?? [] };
}

/** The message that an earlier request with the same ID has stored. */
async function repeatOf(
  reader: EntityManager,
  { id: lineId }: Line,
  { providerId }: Inbound,
): Promise<Received | undefined> {
  const message = await reader.findOneBy(Message, {
    lineId,
    providerId,
    direction: MessageDirection.inbound,
  });
  if (message?.conversationId == null) return undefined;
  const { contactId } = await reader.findOneByOrFail(Conversation, { id: message.conversationId });
  return { message, contactId, isNew: false };
}

/** True if an opt-out of the address was confirmed on any line within the last hour. */
const isConfirmed = (tx: Tx, { id }: ContactAddress): Promise<boolean> =>
  tx.existsBy(Message, {
    answeredAddressId: id,
    author: SYSTEM,
    status: Not(MessageStatus.canceled),
    createdAt: MoreThan(timestamp(-CONFIRMED_MS)),
  });

/** True if an e-mail address belongs to one of the agent's lines, maybe with a suffix such as `+orders`. */
async function isOwnAddress(tx: Tx, agentId: string, { kind, address }: Address): Promise<boolean> {
  if (kind !== AddressKind.email) return false;
  const lines = await tx.findBy(Line, { agentId, kind: LineKind.email });
  return lines.some((line) => withoutSuffix(line.address?.toLowerCase() ?? "") === withoutSuffix(address));
}

const withoutSuffix = (address: string): string => address.replace(/\+[^@]*@/, "@");

/** True if an agent's organization is active; messages to an inactive one are stored but not answered. */
const isActive = (tx: Tx, id: string): Promise<boolean> =>
  tx.existsBy(Agent, { id, organization: { deactivatedAt: IsNull() } });

/** @returns null also for a line of a deleted agent */
const lineOfAgent = (reader: EntityManager, id: string): Promise<(Line & { agent: Agent }) | null> =>
  reader
    .createQueryBuilder(Line, "line")
    .innerJoinAndSelect("line.agent", "agent")
    .where({ id })
    .getOne() as Promise<(Line & { agent: Agent }) | null>;
