// Written by `npm run fix` from schema.graphql and the *.graphql files here.
/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import { TypedDocumentString } from "../api/typed-document";
/** Kind of an address. */
export const AddressKind = {
  /** An e-mail address, case-insensitive. */
  Email: 'email',
  /** An address on this server, case-sensitive. */
  Local: 'local',
  /** An address of another system, case-sensitive. */
  Other: 'other',
  /** A phone number with country code; stored as E.164. */
  Phone: 'phone'
} as const;

export type AddressKind = typeof AddressKind[keyof typeof AddressKind];
/** A contact, by one of these. */
export type ContactReference = {
  /** An address of the contact. */
  address?: NewAddress | null | undefined;
  /** ID of the contact. */
  id?: string | null | undefined;
  /** The customer's own ID of the contact. */
  ref?: string | null | undefined;
};

/** State of a conversation. */
export const ConversationState = {
  /** Over. The next message needs a new conversation. */
  Closed: 'closed',
  /** Messages can be sent. */
  Open: 'open'
} as const;

export type ConversationState = typeof ConversationState[keyof typeof ConversationState];
/** Who answers in a conversation. */
export const Handler = {
  /** The agent. */
  Agent: 'agent',
  /** A human; the agent decides nothing until the conversation is released. */
  Human: 'human'
} as const;

export type Handler = typeof Handler[keyof typeof Handler];
/** Why a queued message waits. */
export const HeldReason = {
  /** It was queued by a version that sent nothing, and waits until an operator releases it. */
  Imported: 'imported',
  /** Its line is paused or archived. */
  LinePaused: 'line_paused',
  /** The agent has no default line. */
  NoRoute: 'no_route',
  /** The organization is deactivated. */
  OrganizationDeactivated: 'organization_deactivated',
  /** Its line has sent as many messages as it may. */
  Rate: 'rate',
  /** An attempt to send it failed, and `notBefore` is the time of the next one. */
  Retry: 'retry'
} as const;

export type HeldReason = typeof HeldReason[keyof typeof HeldReason];
/** How a line delivers messages. */
export const LineKind = {
  /** Messages are sent as e-mail through a mail server. */
  Email: 'email',
  /** Messages stay on this server, where they can be read. */
  Local: 'local',
  /** Messages are posted to a URL, signed as Standard Webhooks. */
  Webhook: 'webhook'
} as const;

export type LineKind = typeof LineKind[keyof typeof LineKind];
/** State of a line. */
export const LineState = {
  /** In use. */
  Active: 'active',
  /** Out of use. It keeps its name and can be resumed. */
  Archived: 'archived',
  /** Holds its messages until it is resumed. */
  Paused: 'paused'
} as const;

export type LineState = typeof LineState[keyof typeof LineState];
/** Who wrote a message. */
export const MessageAuthor = {
  /** The agent, in a decision. */
  Agent: 'agent',
  /** A client with an API key. */
  Api: 'api',
  /** The contact. */
  Contact: 'contact',
  /** A member of the organization. */
  Member: 'member',
  /** The gateway itself, such as a confirmation. */
  System: 'system'
} as const;

export type MessageAuthor = typeof MessageAuthor[keyof typeof MessageAuthor];
/** Direction of a message. */
export const MessageDirection = {
  /** From the contact. */
  Inbound: 'inbound',
  /** From the agent's side to the contact. */
  Outbound: 'outbound'
} as const;

export type MessageDirection = typeof MessageDirection[keyof typeof MessageDirection];
/** Why a message was canceled or given up. */
export const MessageError = {
  /** A caller canceled it. */
  Canceled: 'canceled',
  /** Its conversation was closed before it was sent. */
  Closed: 'closed',
  /** It could not be sent in time. */
  Expired: 'expired',
  /** Its conversation was handed off to a human before it was sent. */
  HandedOff: 'handed_off',
  /** Its conversation was moved to another line before it was sent. */
  Moved: 'moved',
  /** There is no address to send it to. */
  NoAddress: 'no_address',
  /** The contact has opted out of messages to this address. */
  OptedOut: 'opted_out',
  /** The receiver refused it for good; `errorText` says why. */
  Rejected: 'rejected',
  /** It is unknown whether it was sent, and its line does not send such messages again. */
  Uncertain: 'uncertain'
} as const;

export type MessageError = typeof MessageError[keyof typeof MessageError];
/** Delivery status of a message. */
export const MessageStatus = {
  /** Canceled before it was sent. */
  Canceled: 'canceled',
  /** Arrived at the other end of the line. */
  Delivered: 'delivered',
  /** Given up; `errorCode` says why. */
  Failed: 'failed',
  /** Accepted and stored, but not sent yet. */
  Queued: 'queued',
  /** The contact has read it. */
  Read: 'read',
  /** Written by the contact. */
  Received: 'received',
  /** On its way; it can no longer be canceled. */
  Sending: 'sending',
  /** The provider of the line has accepted it. */
  Sent: 'sent'
} as const;

export type MessageStatus = typeof MessageStatus[keyof typeof MessageStatus];
/** An address of a contact. */
export type NewAddress = {
  /** The address; blanks around it are removed. E-mail addresses become lower-case, phone numbers need a country code and become E.164. */
  address: string;
  /** Kind of the address. */
  kind: AddressKind;
};

/** A conversation to open. */
export type NewConversation = {
  /** ID of the agent. Members must pass it; a key must not, because it belongs to one agent. */
  agentId?: string | null | undefined;
  /** The contact to talk to. */
  contact: ContactReference;
  /** Makes retries safe: within 24 hours, the same key and input return the first result again. */
  idempotencyKey?: string | null | undefined;
  /** Name of the line; the default line of the agent when omitted. */
  line?: string | null | undefined;
  /** A first message to queue. Text of the message, 1 to 10,000 characters. */
  message?: string | null | undefined;
};

/** What becomes of the queued messages of a conversation that moves. */
export const PendingMessages = {
  /** They are canceled. */
  Cancel: 'cancel',
  /** They are sent on the new line. */
  Carry: 'carry'
} as const;

export type PendingMessages = typeof PendingMessages[keyof typeof PendingMessages];
export type ConversationFragment = { id: string, agentId: string, contactId: string, line: string, address: string | null, state: ConversationState, handler: Handler, version: number, createdAt: string, updatedAt: string };

export type MessageStateFragment = { id: string, status: MessageStatus, heldReason: HeldReason | null, notBefore: string | null, errorCode: MessageError | null, errorText: string | null, attempts: number };

export type ThreadMessageFragment = { sequence: number | null, message: string, direction: MessageDirection, author: MessageAuthor, createdAt: string, decisionId: string | null, omitted: string | null, id: string, status: MessageStatus, heldReason: HeldReason | null, notBefore: string | null, errorCode: MessageError | null, errorText: string | null, attempts: number };

export type ConversationsQueryVariables = Exact<{
  agentId: string;
  first: number;
  after?: string | null | undefined;
  state?: ConversationState | null | undefined;
  handler?: Handler | null | undefined;
  contactId?: string | null | undefined;
  line?: string | null | undefined;
}>;


export type ConversationsQuery = { conversations: { nodes: Array<{ id: string, contactId: string, line: string, address: string | null, state: ConversationState, handler: Handler, updatedAt: string, lastMessage: { author: MessageAuthor, preview: string } | null }>, pageInfo: { hasNextPage: boolean, endCursor: string | null }, totalCount: { count: number, isExact: boolean } } };

export type ThreadQueryVariables = Exact<{
  id: string;
  after?: string | null | undefined;
  follows: boolean;
  recent: number;
}>;


export type ThreadQuery = { conversation: { id: string, agentId: string, contactId: string, line: string, address: string | null, state: ConversationState, handler: Handler, version: number, createdAt: string, updatedAt: string } | null, latest?: { nodes: Array<{ sequence: number | null, message: string, direction: MessageDirection, author: MessageAuthor, createdAt: string, decisionId: string | null, omitted: string | null, id: string, status: MessageStatus, heldReason: HeldReason | null, notBefore: string | null, errorCode: MessageError | null, errorText: string | null, attempts: number }>, pageInfo: { startCursor: string | null, endCursor: string | null, hasNextPage: boolean } }, added?: { nodes: Array<{ sequence: number | null, message: string, direction: MessageDirection, author: MessageAuthor, createdAt: string, decisionId: string | null, omitted: string | null, id: string, status: MessageStatus, heldReason: HeldReason | null, notBefore: string | null, errorCode: MessageError | null, errorText: string | null, attempts: number }>, pageInfo: { endCursor: string | null } }, recent?: { nodes: Array<{ id: string, status: MessageStatus, heldReason: HeldReason | null, notBefore: string | null, errorCode: MessageError | null, errorText: string | null, attempts: number }> } };

export type OlderMessagesQueryVariables = Exact<{
  id: string;
  after: string;
}>;


export type OlderMessagesQuery = { conversationMessages: { nodes: Array<{ sequence: number | null, message: string, direction: MessageDirection, author: MessageAuthor, createdAt: string, decisionId: string | null, omitted: string | null, id: string, status: MessageStatus, heldReason: HeldReason | null, notBefore: string | null, errorCode: MessageError | null, errorText: string | null, attempts: number }>, pageInfo: { endCursor: string | null, hasNextPage: boolean } } };

export type LineNamesQueryVariables = Exact<{
  agentId: string;
}>;


export type LineNamesQuery = { lines: Array<{ id: string, name: string, kind: LineKind, state: LineState, isDefault: boolean }> };

export type OpenConversationMutationVariables = Exact<{
  input: NewConversation;
}>;


export type OpenConversationMutation = { openConversation: { created: boolean, conversation: { id: string } } };

export type SendToConversationMutationVariables = Exact<{
  id: string;
  message: string;
  idempotencyKey: string;
}>;


export type SendToConversationMutation = { sendToConversation: { id: string } };

export type ChangeFragment = { canceled: Array<string>, carried: Array<string>, inFlight: string | null };

export type MoveConversationMutationVariables = Exact<{
  id: string;
  line: string;
  expectedVersion: number;
  pending: PendingMessages;
}>;


export type MoveConversationMutation = { moveConversation: { canceled: Array<string>, carried: Array<string>, inFlight: string | null } };

export type HandOffConversationMutationVariables = Exact<{
  id: string;
  expectedVersion: number;
}>;


export type HandOffConversationMutation = { handOffConversation: { canceled: Array<string>, carried: Array<string>, inFlight: string | null } };

export type ReleaseConversationMutationVariables = Exact<{
  id: string;
  expectedVersion: number;
}>;


export type ReleaseConversationMutation = { releaseConversation: { canceled: Array<string>, carried: Array<string>, inFlight: string | null } };

export type CloseConversationMutationVariables = Exact<{
  id: string;
  expectedVersion: number;
}>;


export type CloseConversationMutation = { closeConversation: { canceled: Array<string>, carried: Array<string>, inFlight: string | null } };

export const ConversationFragmentDoc = new TypedDocumentString(`
    fragment Conversation on Conversation {
  id
  agentId
  contactId
  line
  address
  state
  handler
  version
  createdAt
  updatedAt
}
    `, {"fragmentName":"Conversation"}) as unknown as TypedDocumentString<ConversationFragment, unknown>;
export const MessageStateFragmentDoc = new TypedDocumentString(`
    fragment MessageState on Message {
  id
  status
  heldReason
  notBefore
  errorCode
  errorText
  attempts
}
    `, {"fragmentName":"MessageState"}) as unknown as TypedDocumentString<MessageStateFragment, unknown>;
export const ThreadMessageFragmentDoc = new TypedDocumentString(`
    fragment ThreadMessage on Message {
  ...MessageState
  sequence
  message
  direction
  author
  createdAt
  decisionId
  omitted
}
    fragment MessageState on Message {
  id
  status
  heldReason
  notBefore
  errorCode
  errorText
  attempts
}`, {"fragmentName":"ThreadMessage"}) as unknown as TypedDocumentString<ThreadMessageFragment, unknown>;
export const ChangeFragmentDoc = new TypedDocumentString(`
    fragment Change on ConversationChange {
  canceled
  carried
  inFlight
}
    `, {"fragmentName":"Change"}) as unknown as TypedDocumentString<ChangeFragment, unknown>;
export const ConversationsDocument = new TypedDocumentString(`
    query Conversations($agentId: ID!, $first: Int!, $after: String, $state: ConversationState, $handler: Handler, $contactId: ID, $line: String) {
  conversations(
    agentId: $agentId
    first: $first
    after: $after
    state: $state
    handler: $handler
    contactId: $contactId
    line: $line
    order: last_activity_first
  ) {
    nodes {
      id
      contactId
      line
      address
      state
      handler
      updatedAt
      lastMessage {
        author
        preview
      }
    }
    pageInfo {
      hasNextPage
      endCursor
    }
    totalCount {
      count
      isExact
    }
  }
}
    `) as unknown as TypedDocumentString<ConversationsQuery, ConversationsQueryVariables>;
export const ThreadDocument = new TypedDocumentString(`
    query Thread($id: ID!, $after: String, $follows: Boolean!, $recent: Int!) {
  conversation(id: $id) {
    ...Conversation
  }
  latest: conversationMessages(id: $id, first: 30, order: newest_first) @skip(if: $follows) {
    nodes {
      ...ThreadMessage
    }
    pageInfo {
      startCursor
      endCursor
      hasNextPage
    }
  }
  added: conversationMessages(id: $id, first: 100, after: $after) @include(if: $follows) {
    nodes {
      ...ThreadMessage
    }
    pageInfo {
      endCursor
    }
  }
  recent: conversationMessages(id: $id, first: $recent, order: newest_first) @include(if: $follows) {
    nodes {
      ...MessageState
    }
  }
}
    fragment Conversation on Conversation {
  id
  agentId
  contactId
  line
  address
  state
  handler
  version
  createdAt
  updatedAt
}
fragment MessageState on Message {
  id
  status
  heldReason
  notBefore
  errorCode
  errorText
  attempts
}
fragment ThreadMessage on Message {
  ...MessageState
  sequence
  message
  direction
  author
  createdAt
  decisionId
  omitted
}`) as unknown as TypedDocumentString<ThreadQuery, ThreadQueryVariables>;
export const OlderMessagesDocument = new TypedDocumentString(`
    query OlderMessages($id: ID!, $after: String!) {
  conversationMessages(id: $id, first: 50, after: $after, order: newest_first) {
    nodes {
      ...ThreadMessage
    }
    pageInfo {
      endCursor
      hasNextPage
    }
  }
}
    fragment MessageState on Message {
  id
  status
  heldReason
  notBefore
  errorCode
  errorText
  attempts
}
fragment ThreadMessage on Message {
  ...MessageState
  sequence
  message
  direction
  author
  createdAt
  decisionId
  omitted
}`) as unknown as TypedDocumentString<OlderMessagesQuery, OlderMessagesQueryVariables>;
export const LineNamesDocument = new TypedDocumentString(`
    query LineNames($agentId: ID!) {
  lines(agentId: $agentId) {
    id
    name
    kind
    state
    isDefault
  }
}
    `) as unknown as TypedDocumentString<LineNamesQuery, LineNamesQueryVariables>;
export const OpenConversationDocument = new TypedDocumentString(`
    mutation OpenConversation($input: NewConversation!) {
  openConversation(input: $input) {
    created
    conversation {
      id
    }
  }
}
    `) as unknown as TypedDocumentString<OpenConversationMutation, OpenConversationMutationVariables>;
export const SendToConversationDocument = new TypedDocumentString(`
    mutation SendToConversation($id: ID!, $message: String!, $idempotencyKey: String!) {
  sendToConversation(id: $id, message: $message, idempotencyKey: $idempotencyKey) {
    id
  }
}
    `) as unknown as TypedDocumentString<SendToConversationMutation, SendToConversationMutationVariables>;
export const MoveConversationDocument = new TypedDocumentString(`
    mutation MoveConversation($id: ID!, $line: String!, $expectedVersion: Int!, $pending: PendingMessages!) {
  moveConversation(
    id: $id
    line: $line
    expectedVersion: $expectedVersion
    pending: $pending
  ) {
    ...Change
  }
}
    fragment Change on ConversationChange {
  canceled
  carried
  inFlight
}`) as unknown as TypedDocumentString<MoveConversationMutation, MoveConversationMutationVariables>;
export const HandOffConversationDocument = new TypedDocumentString(`
    mutation HandOffConversation($id: ID!, $expectedVersion: Int!) {
  handOffConversation(id: $id, expectedVersion: $expectedVersion) {
    ...Change
  }
}
    fragment Change on ConversationChange {
  canceled
  carried
  inFlight
}`) as unknown as TypedDocumentString<HandOffConversationMutation, HandOffConversationMutationVariables>;
export const ReleaseConversationDocument = new TypedDocumentString(`
    mutation ReleaseConversation($id: ID!, $expectedVersion: Int!) {
  releaseConversation(id: $id, expectedVersion: $expectedVersion) {
    ...Change
  }
}
    fragment Change on ConversationChange {
  canceled
  carried
  inFlight
}`) as unknown as TypedDocumentString<ReleaseConversationMutation, ReleaseConversationMutationVariables>;
export const CloseConversationDocument = new TypedDocumentString(`
    mutation CloseConversation($id: ID!, $expectedVersion: Int!) {
  closeConversation(id: $id, expectedVersion: $expectedVersion) {
    ...Change
  }
}
    fragment Change on ConversationChange {
  canceled
  carried
  inFlight
}`) as unknown as TypedDocumentString<CloseConversationMutation, CloseConversationMutationVariables>;
