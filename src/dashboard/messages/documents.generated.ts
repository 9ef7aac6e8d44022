// Written by `npm run fix` from schema.graphql and the *.graphql files here.
/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import { TypedDocumentString } from "../api/typed-document";
/** What came of an attempt to send a message. */
export const AttemptOutcome = {
  /** The receiver has it. */
  Accepted: 'accepted',
  /** The receiver does not have it, and will not take it. */
  Permanent: 'permanent',
  /** The receiver does not have it, and may take it later. */
  Retryable: 'retryable',
  /** It is unknown whether the receiver has it. */
  Uncertain: 'uncertain'
} as const;

export type AttemptOutcome = typeof AttemptOutcome[keyof typeof AttemptOutcome];
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
export type MessagesQueryVariables = Exact<{
  agentId: string;
  first: number;
  after?: string | null | undefined;
  status?: MessageStatus | null | undefined;
}>;


export type MessagesQuery = { messages: { nodes: Array<{ id: string, preview: string, direction: MessageDirection, author: MessageAuthor, status: MessageStatus, heldReason: HeldReason | null, notBefore: string | null, errorCode: MessageError | null, errorText: string | null, createdAt: string }>, pageInfo: { hasNextPage: boolean, endCursor: string | null }, totalCount: { count: number, isExact: boolean } } };

export type MessageQueryVariables = Exact<{
  id: string;
}>;


export type MessageQuery = { message: { id: string, agentId: string, message: string, direction: MessageDirection, author: MessageAuthor, status: MessageStatus, heldReason: HeldReason | null, notBefore: string | null, errorCode: MessageError | null, errorText: string | null, attempts: number, conversationId: string | null, decisionId: string | null, lineId: string | null, providerId: string | null, omitted: string | null, createdAt: string, sentAt: string | null, deliveredAt: string | null, readAt: string | null, expiresAt: string | null } | null };

export type MessageStateQueryVariables = Exact<{
  id: string;
}>;


export type MessageStateQuery = { message: { id: string, status: MessageStatus, heldReason: HeldReason | null, notBefore: string | null, errorCode: MessageError | null, errorText: string | null } | null };

export type AttemptsQueryVariables = Exact<{
  id: string;
}>;


export type AttemptsQuery = { message: { deliveryAttempts: Array<{ number: number, startedAt: string, endedAt: string | null, outcome: AttemptOutcome | null, code: string | null, detail: string | null }> } | null };

export type CancelMessageMutationVariables = Exact<{
  id: string;
}>;


export type CancelMessageMutation = { cancelMessage: { id: string } };


export const MessagesDocument = new TypedDocumentString(`
    query Messages($agentId: ID!, $first: Int!, $after: String, $status: MessageStatus) {
  messages(
    agentId: $agentId
    first: $first
    after: $after
    status: $status
    order: newest_first
  ) {
    nodes {
      id
      preview
      direction
      author
      status
      heldReason
      notBefore
      errorCode
      errorText
      createdAt
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
    `) as unknown as TypedDocumentString<MessagesQuery, MessagesQueryVariables>;
export const MessageDocument = new TypedDocumentString(`
    query Message($id: ID!) {
  message(id: $id) {
    id
    agentId
    message
    direction
    author
    status
    heldReason
    notBefore
    errorCode
    errorText
    attempts
    conversationId
    decisionId
    lineId
    providerId
    omitted
    createdAt
    sentAt
    deliveredAt
    readAt
    expiresAt
  }
}
    `) as unknown as TypedDocumentString<MessageQuery, MessageQueryVariables>;
export const MessageStateDocument = new TypedDocumentString(`
    query MessageState($id: ID!) {
  message(id: $id) {
    id
    status
    heldReason
    notBefore
    errorCode
    errorText
  }
}
    `) as unknown as TypedDocumentString<MessageStateQuery, MessageStateQueryVariables>;
export const AttemptsDocument = new TypedDocumentString(`
    query Attempts($id: ID!) {
  message(id: $id) {
    deliveryAttempts {
      number
      startedAt
      endedAt
      outcome
      code
      detail
    }
  }
}
    `) as unknown as TypedDocumentString<AttemptsQuery, AttemptsQueryVariables>;
export const CancelMessageDocument = new TypedDocumentString(`
    mutation CancelMessage($id: ID!) {
  cancelMessage(id: $id) {
    id
  }
}
    `) as unknown as TypedDocumentString<CancelMessageMutation, CancelMessageMutationVariables>;
