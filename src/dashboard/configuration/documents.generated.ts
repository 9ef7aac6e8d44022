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

/** A situation to hand to an agent. */
export type DecideInput = {
  /** ID of the agent. Members must pass it; a key must not, because it belongs to one agent. */
  agentId?: string | null | undefined;
  /** The contact that it is about, who is created if the `ref` or address is new. */
  contact?: ContactReference | null | undefined;
  /** ID of the conversation that it is about. Without it, the one that is open with the contact on the default line is at hand. */
  conversationId?: string | null | undefined;
  /** Whether only to tell what the agent would do; nothing is stored or sent then. */
  dryRun?: boolean | null | undefined;
  /** Makes retries safe: within 24 hours, the same key and input return the first result again. */
  idempotencyKey?: string | null | undefined;
  /** The situation. */
  situation: SituationInput;
};

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
/** An address of a contact. */
export type NewAddress = {
  /** The address; blanks around it are removed. E-mail addresses become lower-case, phone numbers need a country code and become E.164. */
  address: string;
  /** Kind of the address. */
  kind: AddressKind;
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
/** Something that happened. */
export type SituationInput = {
  /** Its data, as the configuration declares it: at most 32 KiB as JSON, and 10 levels deep. */
  data: Record<string, unknown>;
  /** Type of the situation, such as `order.shipped`: a-z, 0-9 and single . _ - between them. */
  type: string;
};

export type PublicationFragment = { version: number, digest: string, note: string | null, restoredFrom: number | null, publishedAt: string, publishedBy: string };

export type DraftStateFragment = { revision: number, basedOn: number, updatedAt: string, updatedBy: string };

export type ConfigurationStateQueryVariables = Exact<{
  agentId: string;
}>;


export type ConfigurationStateQuery = { configuration: { version: number } | null, configurationDraft: { revision: number } | null };

export type ConfigurationDocumentsQueryVariables = Exact<{
  agentId: string;
}>;


export type ConfigurationDocumentsQuery = { configuration: { version: number, publishedAt: string, publishedBy: string, document: Record<string, unknown>, lines: Array<{ name: string, kind: LineKind, isDefault: boolean }> } | null, configurationDraft: { document: Record<string, unknown>, revision: number, basedOn: number, updatedAt: string, updatedBy: string } | null };

export type ProblemFragment = { path: string, message: string, position: { line: number, column: number } | null };

export type CheckConfigurationQueryVariables = Exact<{
  document: Record<string, unknown>;
}>;


export type CheckConfigurationQuery = { checkConfiguration: { problems: Array<{ path: string, message: string, position: { line: number, column: number } | null }>, warnings: Array<{ path: string, message: string, position: { line: number, column: number } | null }> } };

export type SaveConfigurationDraftMutationVariables = Exact<{
  agentId: string;
  document: Record<string, unknown>;
  expectedRevision: number;
}>;


export type SaveConfigurationDraftMutation = { saveConfigurationDraft: { draft: { revision: number, basedOn: number, updatedAt: string, updatedBy: string } } };

export type PublishConfigurationMutationVariables = Exact<{
  agentId: string;
  expectedLiveVersion: number;
  expectedRevision?: number | null | undefined;
  fromVersion?: number | null | undefined;
  note?: string | null | undefined;
}>;


export type PublishConfigurationMutation = { publishConfiguration: { version: number } };

export type ConfigurationVersionsQueryVariables = Exact<{
  agentId: string;
  first: number;
  after?: string | null | undefined;
}>;


export type ConfigurationVersionsQuery = { configurationVersions: { nodes: Array<{ version: number, digest: string, note: string | null, restoredFrom: number | null, publishedAt: string, publishedBy: string }>, pageInfo: { hasNextPage: boolean, endCursor: string | null }, totalCount: { count: number, isExact: boolean } } };

export type ConfigurationVersionQueryVariables = Exact<{
  agentId: string;
  version: number;
}>;


export type ConfigurationVersionQuery = { configuration: { version: number, digest: string, note: string | null, restoredFrom: number | null, publishedAt: string, publishedBy: string, document: Record<string, unknown> } | null, live: { version: number } | null };

export type ConfigurationDocumentQueryVariables = Exact<{
  agentId: string;
  version: number;
}>;


export type ConfigurationDocumentQuery = { configuration: { document: Record<string, unknown> } | null };

export type ReplayDecisionsQueryVariables = Exact<{
  agentId: string;
  first: number;
}>;


export type ReplayDecisionsQuery = { replayDecisions: { total: number, same: number, changed: number, invalid: number, erased: number, rules: Array<{ ruleId: string | null, recorded: number, replayed: number }>, decisions: Array<{ decisionId: string, situationType: string, status: ReplayStatus, recordedRuleId: string | null, ruleId: string | null, error: { message: string } | null }> } };

export type EffectFragment = { kind: string, ruleId: string | null, status: string, messageId: string | null, template: string | null, text: string | null, delaySeconds: number | null, line: string | null, tags: Array<string> | null, reason: string | null, error: { message: string } | null };

export type ReplayDecisionQueryVariables = Exact<{
  id: string;
}>;


export type ReplayDecisionQuery = { replayDecision: { status: ReplayStatus, ruleId: string | null, explanation: { effects: Array<{ kind: string, ruleId: string | null, status: string, messageId: string | null, template: string | null, text: string | null, delaySeconds: number | null, line: string | null, tags: Array<string> | null, reason: string | null, error: { message: string } | null }> } | null } };

export type RecordedEffectsQueryVariables = Exact<{
  id: string;
}>;


export type RecordedEffectsQuery = { decision: { explanation: { effects: Array<{ kind: string, ruleId: string | null, status: string, messageId: string | null, template: string | null, text: string | null, delaySeconds: number | null, line: string | null, tags: Array<string> | null, reason: string | null, error: { message: string } | null }> } | null } | null };

export type TrySituationMutationVariables = Exact<{
  input: DecideInput;
}>;


export type TrySituationMutation = { decide: { outcome: DecisionOutcome | null, ruleId: string | null, configurationVersion: number, explanation: { version: number | null, now: string, error: { message: string } | null, gates: Array<{ name: string, passed: boolean }>, rules: Array<{ id: string, matched: boolean, spent: boolean | null, clauses: Array<{ source: string, value: boolean | null, error: { message: string } | null, read: Array<{ path: string, value: unknown, isCut: boolean | null }> }> }>, effects: Array<{ kind: string, ruleId: string | null, status: string, messageId: string | null, template: string | null, text: string | null, delaySeconds: number | null, line: string | null, tags: Array<string> | null, reason: string | null, error: { message: string } | null }> } | null } };

export const PublicationFragmentDoc = new TypedDocumentString(`
    fragment Publication on ConfigurationVersion {
  version
  digest
  note
  restoredFrom
  publishedAt
  publishedBy
}
    `, {"fragmentName":"Publication"}) as unknown as TypedDocumentString<PublicationFragment, unknown>;
export const DraftStateFragmentDoc = new TypedDocumentString(`
    fragment DraftState on ConfigurationDraft {
  revision
  basedOn
  updatedAt
  updatedBy
}
    `, {"fragmentName":"DraftState"}) as unknown as TypedDocumentString<DraftStateFragment, unknown>;
export const ProblemFragmentDoc = new TypedDocumentString(`
    fragment Problem on ConfigurationProblem {
  path
  message
  position {
    line
    column
  }
}
    `, {"fragmentName":"Problem"}) as unknown as TypedDocumentString<ProblemFragment, unknown>;
export const EffectFragmentDoc = new TypedDocumentString(`
    fragment Effect on EffectExplanation {
  kind
  ruleId
  status
  messageId
  error {
    message
  }
  template
  text
  delaySeconds
  line
  tags
  reason
}
    `, {"fragmentName":"Effect"}) as unknown as TypedDocumentString<EffectFragment, unknown>;
export const ConfigurationStateDocument = new TypedDocumentString(`
    query ConfigurationState($agentId: ID!) {
  configuration(agentId: $agentId) {
    version
  }
  configurationDraft(agentId: $agentId) {
    revision
  }
}
    `) as unknown as TypedDocumentString<ConfigurationStateQuery, ConfigurationStateQueryVariables>;
export const ConfigurationDocumentsDocument = new TypedDocumentString(`
    query ConfigurationDocuments($agentId: ID!) {
  configuration(agentId: $agentId) {
    version
    publishedAt
    publishedBy
    document
    lines {
      name
      kind
      isDefault
    }
  }
  configurationDraft(agentId: $agentId) {
    ...DraftState
    document
  }
}
    fragment DraftState on ConfigurationDraft {
  revision
  basedOn
  updatedAt
  updatedBy
}`) as unknown as TypedDocumentString<ConfigurationDocumentsQuery, ConfigurationDocumentsQueryVariables>;
export const CheckConfigurationDocument = new TypedDocumentString(`
    query CheckConfiguration($document: JSONObject!) {
  checkConfiguration(document: $document) {
    problems {
      ...Problem
    }
    warnings {
      ...Problem
    }
  }
}
    fragment Problem on ConfigurationProblem {
  path
  message
  position {
    line
    column
  }
}`) as unknown as TypedDocumentString<CheckConfigurationQuery, CheckConfigurationQueryVariables>;
export const SaveConfigurationDraftDocument = new TypedDocumentString(`
    mutation SaveConfigurationDraft($agentId: ID!, $document: JSONObject!, $expectedRevision: Int!) {
  saveConfigurationDraft(
    agentId: $agentId
    document: $document
    expectedRevision: $expectedRevision
  ) {
    draft {
      ...DraftState
    }
  }
}
    fragment DraftState on ConfigurationDraft {
  revision
  basedOn
  updatedAt
  updatedBy
}`) as unknown as TypedDocumentString<SaveConfigurationDraftMutation, SaveConfigurationDraftMutationVariables>;
export const PublishConfigurationDocument = new TypedDocumentString(`
    mutation PublishConfiguration($agentId: ID!, $expectedLiveVersion: Int!, $expectedRevision: Int, $fromVersion: Int, $note: String) {
  publishConfiguration(
    agentId: $agentId
    expectedLiveVersion: $expectedLiveVersion
    expectedRevision: $expectedRevision
    fromVersion: $fromVersion
    note: $note
  ) {
    version
  }
}
    `) as unknown as TypedDocumentString<PublishConfigurationMutation, PublishConfigurationMutationVariables>;
export const ConfigurationVersionsDocument = new TypedDocumentString(`
    query ConfigurationVersions($agentId: ID!, $first: Int!, $after: String) {
  configurationVersions(agentId: $agentId, first: $first, after: $after) {
    nodes {
      ...Publication
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
    fragment Publication on ConfigurationVersion {
  version
  digest
  note
  restoredFrom
  publishedAt
  publishedBy
}`) as unknown as TypedDocumentString<ConfigurationVersionsQuery, ConfigurationVersionsQueryVariables>;
export const ConfigurationVersionDocument = new TypedDocumentString(`
    query ConfigurationVersion($agentId: ID!, $version: Int!) {
  configuration(agentId: $agentId, version: $version) {
    version
    digest
    note
    restoredFrom
    publishedAt
    publishedBy
    document
  }
  live: configuration(agentId: $agentId) {
    version
  }
}
    `) as unknown as TypedDocumentString<ConfigurationVersionQuery, ConfigurationVersionQueryVariables>;
export const ConfigurationDocumentDocument = new TypedDocumentString(`
    query ConfigurationDocument($agentId: ID!, $version: Int!) {
  configuration(agentId: $agentId, version: $version) {
    document
  }
}
    `) as unknown as TypedDocumentString<ConfigurationDocumentQuery, ConfigurationDocumentQueryVariables>;
export const ReplayDecisionsDocument = new TypedDocumentString(`
    query ReplayDecisions($agentId: ID!, $first: Int!) {
  replayDecisions(agentId: $agentId, against: {draft: true}, first: $first) {
    total
    same
    changed
    invalid
    erased
    rules {
      ruleId
      recorded
      replayed
    }
    decisions {
      decisionId
      situationType
      status
      recordedRuleId
      ruleId
      error {
        message
      }
    }
  }
}
    `) as unknown as TypedDocumentString<ReplayDecisionsQuery, ReplayDecisionsQueryVariables>;
export const ReplayDecisionDocument = new TypedDocumentString(`
    query ReplayDecision($id: ID!) {
  replayDecision(id: $id, against: {draft: true}) {
    status
    ruleId
    explanation {
      effects {
        ...Effect
      }
    }
  }
}
    fragment Effect on EffectExplanation {
  kind
  ruleId
  status
  messageId
  error {
    message
  }
  template
  text
  delaySeconds
  line
  tags
  reason
}`) as unknown as TypedDocumentString<ReplayDecisionQuery, ReplayDecisionQueryVariables>;
export const RecordedEffectsDocument = new TypedDocumentString(`
    query RecordedEffects($id: ID!) {
  decision(id: $id) {
    explanation {
      effects {
        ...Effect
      }
    }
  }
}
    fragment Effect on EffectExplanation {
  kind
  ruleId
  status
  messageId
  error {
    message
  }
  template
  text
  delaySeconds
  line
  tags
  reason
}`) as unknown as TypedDocumentString<RecordedEffectsQuery, RecordedEffectsQueryVariables>;
export const TrySituationDocument = new TypedDocumentString(`
    mutation TrySituation($input: DecideInput!) {
  decide(input: $input) {
    outcome
    ruleId
    configurationVersion
    explanation {
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
        ...Effect
      }
    }
  }
}
    fragment Effect on EffectExplanation {
  kind
  ruleId
  status
  messageId
  error {
    message
  }
  template
  text
  delaySeconds
  line
  tags
  reason
}`) as unknown as TypedDocumentString<TrySituationMutation, TrySituationMutationVariables>;
