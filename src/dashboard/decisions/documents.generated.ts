// Written by `npm run fix` from schema.graphql and the *.graphql files here.
/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import { TypedDocumentString } from "../api/typed-document";
/** What makes the decisions of an agent. */
export const DeciderKind = {
  /** The rules, and a language model where they ask it. */
  Model: 'model',
  /** The rules of its configuration alone. */
  Rules: 'rules'
} as const;

export type DeciderKind = typeof DeciderKind[keyof typeof DeciderKind];
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
/** A configuration, by one of these. */
export type ReplayAgainst = {
  /** The draft, which only members can read: `true`. */
  draft?: boolean | null | undefined;
  /** Number of a published version. */
  version?: number | null | undefined;
};

/** How a replayed decision compares with the recorded one. */
export const ReplayStatus = {
  /** Another rule would decide, or do something else. */
  Changed: 'changed',
  /** Its contact was erased, so it cannot be replayed. */
  Erased: 'erased',
  /** The configuration does not take the situation. */
  Invalid: 'invalid',
  /** The same rule would decide, and do the same. */
  Same: 'same'
} as const;

export type ReplayStatus = typeof ReplayStatus[keyof typeof ReplayStatus];
export type ExplanationFragment = { version: number | null, now: string, error: { message: string } | null, gates: Array<{ name: string, passed: boolean }>, rules: Array<{ id: string, matched: boolean, spent: boolean | null, clauses: Array<{ source: string, value: boolean | null, error: { message: string } | null, read: Array<{ path: string, value: unknown, isCut: boolean | null }> }> }>, effects: Array<{ kind: string, status: string, ruleId: string | null, messageId: string | null, template: string | null, text: string | null, delaySeconds: number | null, line: string | null, tags: Array<string> | null, reason: string | null, error: { message: string } | null }> };

export type DecisionsQueryVariables = Exact<{
  agentId: string;
  first: number;
  after?: string | null | undefined;
  conversationId?: string | null | undefined;
  contactId?: string | null | undefined;
  outcome?: DecisionOutcome | null | undefined;
}>;


export type DecisionsQuery = { decisions: { nodes: Array<{ id: string | null, contactId: string | null, state: DecisionState, outcome: DecisionOutcome | null, ruleId: string | null, configurationVersion: number, createdAt: string, situation: { type: string } }>, pageInfo: { hasNextPage: boolean, endCursor: string | null }, totalCount: { count: number, isExact: boolean } } };

export type DecisionQueryVariables = Exact<{
  id: string;
}>;


export type DecisionQuery = { decision: { id: string | null, agentId: string, contactId: string | null, conversationId: string | null, configurationVersion: number, decider: DeciderKind, state: DecisionState, outcome: DecisionOutcome | null, ruleId: string | null, createdAt: string, decidedAt: string | null, situation: { type: string, data: Record<string, unknown> }, explanation: { version: number | null, now: string, error: { message: string } | null, gates: Array<{ name: string, passed: boolean }>, rules: Array<{ id: string, matched: boolean, spent: boolean | null, clauses: Array<{ source: string, value: boolean | null, error: { message: string } | null, read: Array<{ path: string, value: unknown, isCut: boolean | null }> }> }>, effects: Array<{ kind: string, status: string, ruleId: string | null, messageId: string | null, template: string | null, text: string | null, delaySeconds: number | null, line: string | null, tags: Array<string> | null, reason: string | null, error: { message: string } | null }> } | null } | null };

export type ReplayChoicesQueryVariables = Exact<{
  agentId: string;
}>;


export type ReplayChoicesQuery = { configurationDraft: { revision: number } | null, configurationVersions: { nodes: Array<{ version: number, note: string | null }> } };

export type ReplayDecisionQueryVariables = Exact<{
  id: string;
  against: ReplayAgainst;
}>;


export type ReplayDecisionQuery = { replayDecision: { status: ReplayStatus, ruleId: string | null, error: { message: string } | null, explanation: { version: number | null, now: string, error: { message: string } | null, gates: Array<{ name: string, passed: boolean }>, rules: Array<{ id: string, matched: boolean, spent: boolean | null, clauses: Array<{ source: string, value: boolean | null, error: { message: string } | null, read: Array<{ path: string, value: unknown, isCut: boolean | null }> }> }>, effects: Array<{ kind: string, status: string, ruleId: string | null, messageId: string | null, template: string | null, text: string | null, delaySeconds: number | null, line: string | null, tags: Array<string> | null, reason: string | null, error: { message: string } | null }> } | null } };

export const ExplanationFragmentDoc = new TypedDocumentString(`
    fragment Explanation on Explanation {
  version
  now
  error {
    message
  }
  gates {
    name
    passed
  }
  rules {
    id
    matched
    spent
    clauses {
      source
      value
      error {
        message
      }
      read {
        path
        value
        isCut
      }
    }
  }
  effects {
    kind
    status
    ruleId
    messageId
    template
    text
    delaySeconds
    line
    tags
    reason
    error {
      message
    }
  }
}
    `, {"fragmentName":"Explanation"}) as unknown as TypedDocumentString<ExplanationFragment, unknown>;
export const DecisionsDocument = new TypedDocumentString(`
    query Decisions($agentId: ID!, $first: Int!, $after: String, $conversationId: ID, $contactId: ID, $outcome: DecisionOutcome) {
  decisions(
    agentId: $agentId
    first: $first
    after: $after
    conversationId: $conversationId
    contactId: $contactId
    outcome: $outcome
  ) {
    nodes {
      id
      contactId
      situation {
        type
      }
      state
      outcome
      ruleId
      configurationVersion
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
    `) as unknown as TypedDocumentString<DecisionsQuery, DecisionsQueryVariables>;
export const DecisionDocument = new TypedDocumentString(`
    query Decision($id: ID!) {
  decision(id: $id) {
    id
    agentId
    contactId
    conversationId
    configurationVersion
    decider
    state
    outcome
    ruleId
    createdAt
    decidedAt
    situation {
      type
      data
    }
    explanation {
      ...Explanation
    }
  }
}
    fragment Explanation on Explanation {
  version
  now
  error {
    message
  }
  gates {
    name
    passed
  }
  rules {
    id
    matched
    spent
    clauses {
      source
      value
      error {
        message
      }
      read {
        path
        value
        isCut
      }
    }
  }
  effects {
    kind
    status
    ruleId
    messageId
    template
    text
    delaySeconds
    line
    tags
    reason
    error {
      message
    }
  }
}`) as unknown as TypedDocumentString<DecisionQuery, DecisionQueryVariables>;
export const ReplayChoicesDocument = new TypedDocumentString(`
    query ReplayChoices($agentId: ID!) {
  configurationDraft(agentId: $agentId) {
    revision
  }
  configurationVersions(agentId: $agentId, first: 50) {
    nodes {
      version
      note
    }
  }
}
    `) as unknown as TypedDocumentString<ReplayChoicesQuery, ReplayChoicesQueryVariables>;
export const ReplayDecisionDocument = new TypedDocumentString(`
    query ReplayDecision($id: ID!, $against: ReplayAgainst!) {
  replayDecision(id: $id, against: $against) {
    status
    ruleId
    error {
      message
    }
    explanation {
      ...Explanation
    }
  }
}
    fragment Explanation on Explanation {
  version
  now
  error {
    message
  }
  gates {
    name
    passed
  }
  rules {
    id
    matched
    spent
    clauses {
      source
      value
      error {
        message
      }
      read {
        path
        value
        isCut
      }
    }
  }
  effects {
    kind
    status
    ruleId
    messageId
    template
    text
    delaySeconds
    line
    tags
    reason
    error {
      message
    }
  }
}`) as unknown as TypedDocumentString<ReplayDecisionQuery, ReplayDecisionQueryVariables>;
