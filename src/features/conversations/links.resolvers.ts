import { OrderedPageArgs } from "../../pagination/connection";
import { linkById, linkToPage } from "../../schema/links";
import { MAY_READ_LINES } from "../agents/agent.access";
import { Agent } from "../agents/agent.entity";
import { AuditEntry } from "../audit/audit-entry.entity";
import { MAY_READ_CONTACTS } from "../contacts/contact.access";
import { Contact } from "../contacts/contact.entity";
import { Line } from "../lines/line.entity";
import { MAY_READ_MESSAGES } from "../messages/message.access";
import { Message } from "../messages/message.entity";
import { MessageConnection } from "../messages/message.inputs";
import { Timer } from "../timers/timer.entity";
import { MAY_READ_CONVERSATIONS } from "./conversation.access";
import { ConversationConnection } from "./conversation.connection";
import { Conversation } from "./conversation.entity";

/** Links that `ConversationService` reads. */
export const conversationLinks = [
  linkToPage(Agent, ConversationConnection, OrderedPageArgs, {
    name: "conversations",
    access: MAY_READ_CONVERSATIONS,
    description: "The agent's conversations, or null for a deleted agent.",
    list: "ofAgent",
  }),
  linkToPage(Contact, ConversationConnection, OrderedPageArgs, {
    name: "conversations",
    access: MAY_READ_CONVERSATIONS,
    description: "The conversations with the contact.",
    list: "ofContact",
  }),
  linkById(Message, Conversation, {
    name: "conversation",
    access: MAY_READ_CONVERSATIONS,
    description: "The message's conversation, or null if it does not belong to one.",
    id: "conversationId",
  }),
  linkById(AuditEntry, Conversation, {
    name: "conversation",
    access: MAY_READ_CONVERSATIONS,
    description: "The conversation that was changed, or null for other entries and deleted conversations.",
    id: "targetId",
  }),
  linkById(Timer, Conversation, {
    name: "conversation",
    access: MAY_READ_CONVERSATIONS,
    description: "The conversation, or null if there was none when the timer was set.",
    id: "conversationId",
  }),
  linkToPage(Conversation, MessageConnection, OrderedPageArgs, {
    name: "messages",
    access: MAY_READ_MESSAGES,
    description: "The messages in the conversation.",
    list: "messagesOf",
  }),
];

export const ConversationContactResolver = linkById(Conversation, Contact, {
  name: "contact",
  access: MAY_READ_CONTACTS,
  description: "The contact.",
  id: "contactId",
});

export const ConversationLineResolver = linkById(Conversation, Line, {
  name: "line",
  access: MAY_READ_LINES,
  description: "The conversation's line.",
  id: "lineId",
});
