import { NewestFirstPageArgs } from "../../pagination/connection";
import { linkById, linkToPage } from "../../schema/links";
import { MAY_READ_DECISIONS as access } from "../agents/agent.access";
import { MAY_READ_CONTACTS } from "../contacts/contact.access";
import { Contact } from "../contacts/contact.entity";
import { MAY_READ_CONVERSATIONS } from "../conversations/conversation.access";
import { Conversation } from "../conversations/conversation.entity";
import { Message } from "../messages/message.entity";
import { Timer } from "../timers/timer.entity";
import { Decision, DecisionConnection } from "./decision.entity";

/** Links that `DecisionService` reads. */
export const decisionLinks = [
  linkToPage(Contact, DecisionConnection, NewestFirstPageArgs, {
    name: "decisions",
    access,
    description: "The decisions about the contact.",
    list: "ofContact",
  }),
  linkToPage(Conversation, DecisionConnection, NewestFirstPageArgs, {
    name: "decisions",
    access,
    description: "The decisions about the conversation.",
    list: "ofConversation",
  }),
  linkById(Message, Decision, {
    name: "decision",
    access,
    description:
      "The decision that sent the message or, for an inbound message, the decision that it triggered. Null if there is none.",
    id: "decisionId",
  }),
  linkById(Timer, Decision, {
    name: "decision",
    access,
    description: "The decision that set the timer, or null if the decision has been deleted.",
    id: "decisionId",
  }),
];

export const DecisionContactResolver = linkById(Decision, Contact, {
  name: "contact",
  access: MAY_READ_CONTACTS,
  description: "The contact, or null if the decision is not about a contact.",
  id: "contactId",
});

export const DecisionConversationResolver = linkById(Decision, Conversation, {
  name: "conversation",
  access: MAY_READ_CONVERSATIONS,
  description: "The conversation, or null if the decision is not about a conversation.",
  id: "conversationId",
});
