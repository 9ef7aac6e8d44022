import { In } from "typeorm";
import type { Tx } from "../../database/unit-of-work";
import type { Lanes } from "../../delivery/lanes";
import type { GatewayError } from "../../errors";
import type { Playbooks } from "../configuration/playbooks";
import { Contact } from "../contacts/contact.entity";
import { ContactAddress } from "../contacts/contact-address.entity";
import { lockContacts } from "../contacts/known-contact";
import { addressKindOf } from "../lines/address-kind";
import { Line, LineState } from "../lines/line.entity";
import type { LiveVersion } from "../messages/insert-messages";
import type { Joining, QueueByAgent } from "../messages/joining";
import { MESSAGE_ORDER, type Message, MessageAuthor } from "../messages/message.entity";
import { type Conversation, ConversationState } from "./conversation.entity";
import { openIdOn } from "./destination";
import { insertConversation, lockOpen, type Place } from "./open-conversation";
import { lockConversations } from "./own-conversation";
import { conversationQueueFull, queueMessages, roomIn } from "./queue-messages";

/** The conversations with the default contacts of agents, which messages without a contact join. */
export class DefaultConversations implements Joining {
  constructor(
    private readonly lanes: Lanes,
    private readonly playbooks: Playbooks,
  ) {}

  /** Whether an agent has a default contact, unless that has changed; true if it is not known. */
  isPossible(agentId: string): boolean {
    return this.playbooks.hadDefaultContact(agentId) ?? true;
  }

  /** Whether an agent of these live versions has a default contact. */
  async isExpected(tx: Tx, live: readonly LiveVersion[]): Promise<boolean> {
    return (await this.playbooks.defaultContactsOf(tx, live)).size > 0;
  }

  /**
   * Locks the conversations with the default contacts of agents, or opens them.
   * @param tx does not hold the lock `MESSAGE_ORDER` yet
   * @param all these and the other agents that the transaction queues messages for
   * @returns how to queue messages in them, by agent; none for an agent without a default contact that its default line
   *   reaches
   */
  async queues(tx: Tx, agentIds: readonly string[], all: readonly string[]): Promise<QueueByAgent> {
    const refs = await this.playbooks.defaultContacts(tx, agentIds);
    if (refs.size === 0) return new Map();
    const conversations = await this.lock(tx, await placesOf(tx, refs), all);
    return new Map(
      conversations.map((conversation) => [
        conversation.agentId,
        (texts) => this.queue(tx, conversation, texts),
      ]),
    );
  }

  /**
   * Locks the conversation with the default contact of an agent.
   * @returns the conversation, or the place to open one; undefined if the default line of the agent reaches none
   */
  async find(
    tx: Tx,
    agentId: string,
  ): Promise<{ conversation: Conversation | null; place: Place } | undefined> {
    const refs = await this.playbooks.defaultContacts(tx, [agentId]);
    const [place] = refs.size === 0 ? [] : await placesOf(tx, refs);
    return place && { conversation: await lockOpen(tx, place), place };
  }

  private async queue(
    tx: Tx,
    conversation: Conversation,
    texts: readonly string[],
  ): Promise<(Message | GatewayError)[]> {
    const room = await roomIn(tx, conversation, texts.length);
    const drafts = texts.slice(0, room).map((message) => ({
      agentId: conversation.agentId,
      conversation,
      message,
      author: MessageAuthor.api,
    }));
    const messages = room === 0 ? [] : await queueMessages(tx, this.lanes, drafts);
    return texts.map((_, i) => messages[i] ?? conversationQueueFull());
  }

  /** Those that are open come first, because opening one takes the lock on the insert order, which follows all others. */
  private async lock(tx: Tx, places: readonly Place[], agentIds: readonly string[]): Promise<Conversation[]> {
    const ids = await Promise.all(places.map((place) => openIdOn(tx, place)));
    const conversations = await lockConversations(
      tx,
      ids.flatMap((id) => id ?? []),
    );
    const locked: Conversation[] = [];
    const missing: Place[] = [];
    for (const [i, place] of places.entries()) {
      const conversation = conversations.get(ids[i] ?? "");
      // It may have been closed while this transaction waited for its lock.
      if (conversation?.state === ConversationState.open) locked.push(conversation);
      else missing.push(place);
    }
    if (missing.length > 0) await tx.lockInsertOrder(MESSAGE_ORDER, agentIds);
    return [...locked, ...(await Promise.all(missing.map((place) => insertConversation(tx, place))))];
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
