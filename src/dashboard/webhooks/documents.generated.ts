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
/** A webhook endpoint to create. */
export type NewWebhookEndpoint = {
  /** ID of the agent whose events it gets; null or omitted for those of all agents of the organization, future ones too. */
  agentId?: string | null | undefined;
  /** What it is for, at most 200 characters. */
  description?: string | null | undefined;
  /** Makes retries safe: within 24 hours, the same key and input return the first result again. */
  idempotencyKey?: string | null | undefined;
  /** Types of the events that it gets, such as `message.delivered`; null for all types, future ones too. */
  types?: Array<string> | null | undefined;
  /** URL that events are posted to: http or https, only https in production, without a user name or fragment, at most 2,048 characters. */
  url: string;
};

/** State of the delivery of an event to a webhook endpoint. */
export const WebhookDeliveryState = {
  /** It was pending when the database was restored from a backup. */
  Canceled: 'canceled',
  /** The endpoint answered 2xx. */
  Delivered: 'delivered',
  /** It was given up. */
  Failed: 'failed',
  /** It is still to be sent, or sent again. */
  Pending: 'pending'
} as const;

export type WebhookDeliveryState = typeof WebhookDeliveryState[keyof typeof WebhookDeliveryState];
/** Why a webhook endpoint is disabled. */
export const WebhookDisabledReason = {
  /** Every attempt has failed for five days. */
  Failing: 'failing',
  /** It answered 410. */
  Gone: 'gone',
  /** A member or an operator disabled it. */
  Requested: 'requested',
  /** The database was restored from a backup. */
  Restored: 'restored',
  /** Its signing secret was lost with the instance key. */
  SecretLost: 'secret_lost'
} as const;

export type WebhookDisabledReason = typeof WebhookDisabledReason[keyof typeof WebhookDisabledReason];
/** Changes of a webhook endpoint; omitted fields stay as they are. */
export type WebhookEndpointChanges = {
  /** What it is for, at most 200 characters. */
  description?: string | null | undefined;
  /** ID of the webhook endpoint. */
  id: string;
  /** Types of the events that it gets, such as `message.delivered`; null for all types, future ones too. */
  types?: Array<string> | null | undefined;
  /** URL that events are posted to: http or https, only https in production, without a user name or fragment, at most 2,048 characters. */
  url?: string | null | undefined;
};

/** State of a webhook endpoint. */
export const WebhookEndpointState = {
  /** It gets events. */
  Active: 'active',
  /** Nothing is sent to it until it is enabled. */
  Disabled: 'disabled'
} as const;

export type WebhookEndpointState = typeof WebhookEndpointState[keyof typeof WebhookEndpointState];
export type EndpointFragment = { id: string, url: string, agentId: string | null, description: string | null, types: Array<string> | null, state: WebhookEndpointState, disabledReason: WebhookDisabledReason | null, failingSince: string | null };

export type WebhookEndpointsQueryVariables = Exact<{ [key: string]: never; }>;


export type WebhookEndpointsQuery = { webhookEndpoints: Array<{ id: string, url: string, agentId: string | null, description: string | null, types: Array<string> | null, state: WebhookEndpointState, disabledReason: WebhookDisabledReason | null, failingSince: string | null }> };

export type WebhookEndpointQueryVariables = Exact<{
  id: string;
}>;


export type WebhookEndpointQuery = { webhookEndpoint: { createdAt: string, previousSecretUntil: string | null, id: string, url: string, agentId: string | null, description: string | null, types: Array<string> | null, state: WebhookEndpointState, disabledReason: WebhookDisabledReason | null, failingSince: string | null } | null };

export type WebhookDeliveriesQueryVariables = Exact<{
  endpointId: string;
  first: number;
  after?: string | null | undefined;
  state?: WebhookDeliveryState | null | undefined;
  type?: string | null | undefined;
}>;


export type WebhookDeliveriesQuery = { webhookDeliveries: { nodes: Array<{ id: string, eventId: string, type: string, state: WebhookDeliveryState, attempts: number, lastStatus: number | null, lastError: string | null, notBefore: string | null, createdAt: string }>, pageInfo: { hasNextPage: boolean, endCursor: string | null }, totalCount: { count: number, isExact: boolean } } };

export type DeliveryFragment = { id: string, eventId: string, type: string, state: WebhookDeliveryState, attempts: number, lastStatus: number | null, lastError: string | null, notBefore: string | null, createdAt: string };

export type WebhookDeliveryQueryVariables = Exact<{
  endpointId: string;
  eventId: string;
}>;


export type WebhookDeliveryQuery = { webhookDeliveries: { nodes: Array<{ subject: string, position: string, lastDurationMs: number | null, deliveredAt: string | null, id: string, eventId: string, type: string, state: WebhookDeliveryState, attempts: number, lastStatus: number | null, lastError: string | null, notBefore: string | null, createdAt: string }> } };

export type CreateWebhookEndpointMutationVariables = Exact<{
  input: NewWebhookEndpoint;
}>;


export type CreateWebhookEndpointMutation = { createWebhookEndpoint: { signingSecret: string | null, endpoint: { id: string, url: string } } };

export type UpdateWebhookEndpointMutationVariables = Exact<{
  input: WebhookEndpointChanges;
}>;


export type UpdateWebhookEndpointMutation = { updateWebhookEndpoint: { id: string } };

export type RotateWebhookSecretMutationVariables = Exact<{
  id: string;
}>;


export type RotateWebhookSecretMutation = { rotateWebhookSecret: { signingSecret: string | null } };

export type EnableWebhookEndpointMutationVariables = Exact<{
  id: string;
}>;


export type EnableWebhookEndpointMutation = { enableWebhookEndpoint: { id: string } };

export type DisableWebhookEndpointMutationVariables = Exact<{
  id: string;
}>;


export type DisableWebhookEndpointMutation = { disableWebhookEndpoint: { id: string } };

export type DeleteWebhookEndpointMutationVariables = Exact<{
  id: string;
}>;


export type DeleteWebhookEndpointMutation = { deleteWebhookEndpoint: { id: string } };

export type SendTestEventMutationVariables = Exact<{
  id: string;
}>;


export type SendTestEventMutation = { sendTestEvent: { outcome: AttemptOutcome, detail: string, durationMs: number } };

export type RedeliverMutationVariables = Exact<{
  id: string;
  since?: string | null | undefined;
}>;


export type RedeliverMutation = { redeliver: { id: string } };

export const EndpointFragmentDoc = new TypedDocumentString(`
    fragment Endpoint on WebhookEndpoint {
  id
  url
  agentId
  description
  types
  state
  disabledReason
  failingSince
}
    `, {"fragmentName":"Endpoint"}) as unknown as TypedDocumentString<EndpointFragment, unknown>;
export const DeliveryFragmentDoc = new TypedDocumentString(`
    fragment Delivery on WebhookDelivery {
  id
  eventId
  type
  state
  attempts
  lastStatus
  lastError
  notBefore
  createdAt
}
    `, {"fragmentName":"Delivery"}) as unknown as TypedDocumentString<DeliveryFragment, unknown>;
export const WebhookEndpointsDocument = new TypedDocumentString(`
    query WebhookEndpoints {
  webhookEndpoints {
    ...Endpoint
  }
}
    fragment Endpoint on WebhookEndpoint {
  id
  url
  agentId
  description
  types
  state
  disabledReason
  failingSince
}`) as unknown as TypedDocumentString<WebhookEndpointsQuery, WebhookEndpointsQueryVariables>;
export const WebhookEndpointDocument = new TypedDocumentString(`
    query WebhookEndpoint($id: ID!) {
  webhookEndpoint(id: $id) {
    ...Endpoint
    createdAt
    previousSecretUntil
  }
}
    fragment Endpoint on WebhookEndpoint {
  id
  url
  agentId
  description
  types
  state
  disabledReason
  failingSince
}`) as unknown as TypedDocumentString<WebhookEndpointQuery, WebhookEndpointQueryVariables>;
export const WebhookDeliveriesDocument = new TypedDocumentString(`
    query WebhookDeliveries($endpointId: ID!, $first: Int!, $after: String, $state: WebhookDeliveryState, $type: String) {
  webhookDeliveries(
    endpointId: $endpointId
    first: $first
    after: $after
    state: $state
    type: $type
  ) {
    nodes {
      ...Delivery
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
    fragment Delivery on WebhookDelivery {
  id
  eventId
  type
  state
  attempts
  lastStatus
  lastError
  notBefore
  createdAt
}`) as unknown as TypedDocumentString<WebhookDeliveriesQuery, WebhookDeliveriesQueryVariables>;
export const WebhookDeliveryDocument = new TypedDocumentString(`
    query WebhookDelivery($endpointId: ID!, $eventId: ID!) {
  webhookDeliveries(endpointId: $endpointId, eventId: $eventId, first: 1) {
    nodes {
      ...Delivery
      subject
      position
      lastDurationMs
      deliveredAt
    }
  }
}
    fragment Delivery on WebhookDelivery {
  id
  eventId
  type
  state
  attempts
  lastStatus
  lastError
  notBefore
  createdAt
}`) as unknown as TypedDocumentString<WebhookDeliveryQuery, WebhookDeliveryQueryVariables>;
export const CreateWebhookEndpointDocument = new TypedDocumentString(`
    mutation CreateWebhookEndpoint($input: NewWebhookEndpoint!) {
  createWebhookEndpoint(input: $input) {
    endpoint {
      id
      url
    }
    signingSecret
  }
}
    `) as unknown as TypedDocumentString<CreateWebhookEndpointMutation, CreateWebhookEndpointMutationVariables>;
export const UpdateWebhookEndpointDocument = new TypedDocumentString(`
    mutation UpdateWebhookEndpoint($input: WebhookEndpointChanges!) {
  updateWebhookEndpoint(input: $input) {
    id
  }
}
    `) as unknown as TypedDocumentString<UpdateWebhookEndpointMutation, UpdateWebhookEndpointMutationVariables>;
export const RotateWebhookSecretDocument = new TypedDocumentString(`
    mutation RotateWebhookSecret($id: ID!) {
  rotateWebhookSecret(id: $id) {
    signingSecret
  }
}
    `) as unknown as TypedDocumentString<RotateWebhookSecretMutation, RotateWebhookSecretMutationVariables>;
export const EnableWebhookEndpointDocument = new TypedDocumentString(`
    mutation EnableWebhookEndpoint($id: ID!) {
  enableWebhookEndpoint(id: $id) {
    id
  }
}
    `) as unknown as TypedDocumentString<EnableWebhookEndpointMutation, EnableWebhookEndpointMutationVariables>;
export const DisableWebhookEndpointDocument = new TypedDocumentString(`
    mutation DisableWebhookEndpoint($id: ID!) {
  disableWebhookEndpoint(id: $id) {
    id
  }
}
    `) as unknown as TypedDocumentString<DisableWebhookEndpointMutation, DisableWebhookEndpointMutationVariables>;
export const DeleteWebhookEndpointDocument = new TypedDocumentString(`
    mutation DeleteWebhookEndpoint($id: ID!) {
  deleteWebhookEndpoint(id: $id) {
    id
  }
}
    `) as unknown as TypedDocumentString<DeleteWebhookEndpointMutation, DeleteWebhookEndpointMutationVariables>;
export const SendTestEventDocument = new TypedDocumentString(`
    mutation SendTestEvent($id: ID!) {
  sendTestEvent(id: $id) {
    outcome
    detail
    durationMs
  }
}
    `) as unknown as TypedDocumentString<SendTestEventMutation, SendTestEventMutationVariables>;
export const RedeliverDocument = new TypedDocumentString(`
    mutation Redeliver($id: ID!, $since: DateTimeISO) {
  redeliver(id: $id, since: $since) {
    id
  }
}
    `) as unknown as TypedDocumentString<RedeliverMutation, RedeliverMutationVariables>;
