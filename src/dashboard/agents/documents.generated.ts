// Written by `npm run fix` from schema.graphql and the *.graphql files here.
/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import { TypedDocumentString } from "../api/typed-document";
/** What a decision led to. */
export const DecisionOutcome = {
  /** The conversation was handed off to a human. */
  Handoff: 'handoff',
  /** Messages were queued. */
  Send: 'send',
  /** No message was queued. */
  Silent: 'silent',
  /** What it is about changed before it was made, such as a conversation that went on; nothing was done. */
  Stale: 'stale'
} as const;

export type DecisionOutcome = typeof DecisionOutcome[keyof typeof DecisionOutcome];
/** State of a decision. */
export const DecisionState = {
  /** It is made, and its effects are stored. */
  Decided: 'decided',
  /** It is still being made. */
  Deciding: 'deciding',
  /** It could not be made; nothing was done. */
  Failed: 'failed'
} as const;

export type DecisionState = typeof DecisionState[keyof typeof DecisionState];
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
/** An agent to create. */
export type NewAgent = {
  /** Makes retries safe: within 24 hours, the same key and input return the first result again. */
  idempotencyKey?: string | null | undefined;
  /** Display name, 1 to 200 characters; leading and trailing blanks are removed. */
  name: string;
  /** Short name for the command line and logs: 1 to 63 of a-z, 0-9 and single hyphens between them. It is unique across the service, also among deleted agents, and cannot be changed later. */
  slug: string;
};

export type AgentsQueryVariables = Exact<{ [key: string]: never; }>;


export type AgentsQuery = { agents: Array<{ id: string, slug: string, name: string }> };

export type CreateAgentMutationVariables = Exact<{
  input: NewAgent;
}>;


export type CreateAgentMutation = { createAgent: { id: string, name: string } };

export type RenameAgentMutationVariables = Exact<{
  id: string;
  name: string;
}>;


export type RenameAgentMutation = { renameAgent: { id: string } };

export type DeleteAgentMutationVariables = Exact<{
  id: string;
}>;


export type DeleteAgentMutation = { deleteAgent: { id: string } };

export type AgentSetupQueryVariables = Exact<{
  id: string;
}>;


export type AgentSetupQuery = { apiKeys: { nodes: Array<{ id: string, name: string, hint: string, lastUsedAt: string | null }>, totalCount: { count: number, isExact: boolean } }, lines: Array<{ id: string, name: string, kind: LineKind, address: string | null, state: LineState, isDefault: boolean }>, configurationVersions: { nodes: Array<{ version: number, note: string | null, publishedAt: string, publishedBy: string }> } };

export type AgentDecisionsQueryVariables = Exact<{
  id: string;
}>;


export type AgentDecisionsQuery = { decisions: { nodes: Array<{ id: string | null, state: DecisionState, outcome: DecisionOutcome | null, ruleId: string | null, createdAt: string, situation: { type: string } }> } };


export const AgentsDocument = new TypedDocumentString(`
    query Agents {
  agents {
    id
    slug
    name
  }
}
    `) as unknown as TypedDocumentString<AgentsQuery, AgentsQueryVariables>;
export const CreateAgentDocument = new TypedDocumentString(`
    mutation CreateAgent($input: NewAgent!) {
  createAgent(input: $input) {
    id
    name
  }
}
    `) as unknown as TypedDocumentString<CreateAgentMutation, CreateAgentMutationVariables>;
export const RenameAgentDocument = new TypedDocumentString(`
    mutation RenameAgent($id: ID!, $name: String!) {
  renameAgent(id: $id, name: $name) {
    id
  }
}
    `) as unknown as TypedDocumentString<RenameAgentMutation, RenameAgentMutationVariables>;
export const DeleteAgentDocument = new TypedDocumentString(`
    mutation DeleteAgent($id: ID!) {
  deleteAgent(id: $id) {
    id
  }
}
    `) as unknown as TypedDocumentString<DeleteAgentMutation, DeleteAgentMutationVariables>;
export const AgentSetupDocument = new TypedDocumentString(`
    query AgentSetup($id: ID!) {
  apiKeys(agentId: $id, first: 5, state: active) {
    nodes {
      id
      name
      hint
      lastUsedAt
    }
    totalCount {
      count
      isExact
    }
  }
  lines(agentId: $id) {
    id
    name
    kind
    address
    state
    isDefault
  }
  configurationVersions(agentId: $id, first: 1) {
    nodes {
      version
      note
      publishedAt
      publishedBy
    }
  }
}
    `) as unknown as TypedDocumentString<AgentSetupQuery, AgentSetupQueryVariables>;
export const AgentDecisionsDocument = new TypedDocumentString(`
    query AgentDecisions($id: ID!) {
  decisions(agentId: $id, first: 5) {
    nodes {
      id
      state
      outcome
      ruleId
      createdAt
      situation {
        type
      }
    }
  }
}
    `) as unknown as TypedDocumentString<AgentDecisionsQuery, AgentDecisionsQueryVariables>;
