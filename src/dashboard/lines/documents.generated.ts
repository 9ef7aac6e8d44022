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
/** Changes of a line; omitted fields stay as they are. */
export type LineChanges = {
  /** Changes of how the line delivers, allowed for a line of the kind `email`. */
  email?: LineEmailChanges | null | undefined;
  /** The version that the changes are based on; any other is refused with `version_conflict`. */
  expectedVersion?: number | null | undefined;
  /** How long a message may wait on the line before it expires, 60 to 2,592,000 seconds; null for three days. */
  expireAfterSeconds?: number | null | undefined;
  /** ID of the line. */
  id: string;
  /** The new name; the rules are those of `NewLine.name`. */
  name?: string | null | undefined;
  /** Confirmation to a contact who opts out, at most 1,000 characters; null for none. */
  optOutReply?: string | null | undefined;
  /** Max messages that the line sends per minute, 1 to 10,000; null for no limit. */
  ratePerMinute?: number | null | undefined;
  /** Changes of how the line delivers, allowed for a line of the kind `webhook`. */
  webhook?: LineWebhookChanges | null | undefined;
  /** What becomes of a message when it is unknown whether it was sent; null for `retry`. */
  whenUncertain?: WhenUncertain | null | undefined;
};

/** Changes of how an e-mail line delivers messages; omitted fields stay as they are. */
export type LineEmailChanges = {
  /** Sender of the messages: an e-mail address, or a name and an address such as `Anna <anna@example.com>`. */
  from?: string | null | undefined;
  /** Host name or IP address of the mail server. */
  host?: string | null | undefined;
  /** Password for the mail server; null removes it with the user name. It must be passed again when host, port or security change, so that it reaches no other server. */
  password?: string | null | undefined;
  /** Port of the mail server, 1 to 65,535; null for the usual one: 465 for `tls`, 587 for `starttls`, 25 for `none`. */
  port?: number | null | undefined;
  /** How the connection is encrypted. */
  security?: SmtpSecurity | null | undefined;
  /** Subject of the messages, 1 to 200 characters. */
  subject?: string | null | undefined;
  /** User name for the mail server; null removes it with the password. */
  user?: string | null | undefined;
};

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
/** Changes of how a webhook line delivers messages. */
export type LineWebhookChanges = {
  /** URL that messages are posted to: http or https, only https in production, without a user name or fragment, at most 2,048 characters. Agents can read it, so it must not contain a secret. */
  url: string;
};

/** A line to create. */
export type NewLine = {
  /** ID of the agent that speaks from the line. */
  agentId: string;
  /** Required for a line of the kind `email`. */
  email?: NewLineEmail | null | undefined;
  /** How long a message may wait on the line before it expires, 60 to 2,592,000 seconds; null or omitted for three days. */
  expireAfterSeconds?: number | null | undefined;
  /** Makes retries safe: within 24 hours, the same key and input return the first result again. */
  idempotencyKey?: string | null | undefined;
  /** How the line delivers messages. */
  kind?: LineKind;
  /** Short name, unique among the lines of the agent: 1 to 63 of a-z, 0-9 and single hyphens between them. */
  name: string;
  /** Confirmation to a contact who opts out, at most 1,000 characters; null or omitted for none. */
  optOutReply?: string | null | undefined;
  /** Max messages that the line sends per minute, 1 to 10,000; null or omitted for no limit. */
  ratePerMinute?: number | null | undefined;
  /** Required for a line of the kind `webhook`. */
  webhook?: NewLineWebhook | null | undefined;
  /** What becomes of a message when it is unknown whether it was sent; null or omitted for `retry`. */
  whenUncertain?: WhenUncertain | null | undefined;
};

/** How a new e-mail line delivers messages. */
export type NewLineEmail = {
  /** Sender of the messages: an e-mail address, or a name and an address such as `Anna <anna@example.com>`. */
  from: string;
  /** Host name or IP address of the mail server. */
  host: string;
  /** Password for the mail server, required with `user`. It is stored encrypted and never shown. */
  password?: string | null | undefined;
  /** Port of the mail server, 1 to 65,535; null for the usual one: 465 for `tls`, 587 for `starttls`, 25 for `none`. */
  port?: number | null | undefined;
  /** How the connection is encrypted. */
  security?: SmtpSecurity;
  /** Subject of the messages, 1 to 200 characters. */
  subject?: string;
  /** User name for the mail server; null or omitted for none. */
  user?: string | null | undefined;
};

/** How a new webhook line delivers messages. */
export type NewLineWebhook = {
  /** Kind of the addresses that the line sends to. It cannot be changed later. */
  addressKind?: AddressKind;
  /** URL that messages are posted to: http or https, only https in production, without a user name or fragment, at most 2,048 characters. Agents can read it, so it must not contain a secret. */
  url: string;
};

/** How a connection to a mail server is encrypted. */
export const SmtpSecurity = {
  /** Not encrypted, usually on port 25. */
  None: 'none',
  /** STARTTLS, without which nothing is sent; usually on port 587. */
  Starttls: 'starttls',
  /** TLS from the start, usually on port 465. */
  Tls: 'tls'
} as const;

export type SmtpSecurity = typeof SmtpSecurity[keyof typeof SmtpSecurity];
/** What becomes of a message when it is unknown whether it was sent. */
export const WhenUncertain = {
  /** It fails, so that it may never have arrived. */
  Fail: 'fail',
  /** It is sent again, so that it may arrive twice. */
  Retry: 'retry'
} as const;

export type WhenUncertain = typeof WhenUncertain[keyof typeof WhenUncertain];
export type LineFragment = { id: string, name: string, kind: LineKind, address: string | null, state: LineState, isDefault: boolean, ratePerMinute: number | null, pausedReason: string | null, version: number };

export type LineDetailsFragment = { createdAt: string, expireAfterSeconds: number, whenUncertain: WhenUncertain, optOutReply: string | null, secretGeneration: number, previousSecretUntil: string | null, id: string, name: string, kind: LineKind, address: string | null, state: LineState, isDefault: boolean, ratePerMinute: number | null, pausedReason: string | null, version: number, webhook: { url: string, addressKind: AddressKind } | null, email: { from: string, host: string, port: number, security: SmtpSecurity, subject: string, user: string | null, hasPassword: boolean } | null };

export type LinesQueryVariables = Exact<{
  agentId: string;
}>;


export type LinesQuery = { lines: Array<{ id: string, name: string, kind: LineKind, address: string | null, state: LineState, isDefault: boolean, ratePerMinute: number | null, pausedReason: string | null, version: number }> };

export type LineDetailsQueryVariables = Exact<{
  agentId: string;
}>;


export type LineDetailsQuery = { lines: Array<{ createdAt: string, expireAfterSeconds: number, whenUncertain: WhenUncertain, optOutReply: string | null, secretGeneration: number, previousSecretUntil: string | null, id: string, name: string, kind: LineKind, address: string | null, state: LineState, isDefault: boolean, ratePerMinute: number | null, pausedReason: string | null, version: number, webhook: { url: string, addressKind: AddressKind } | null, email: { from: string, host: string, port: number, security: SmtpSecurity, subject: string, user: string | null, hasPassword: boolean } | null }> };

export type CreateLineMutationVariables = Exact<{
  input: NewLine;
}>;


export type CreateLineMutation = { createLine: { signingSecret: string | null, line: { id: string, name: string } } };

export type UpdateLineMutationVariables = Exact<{
  input: LineChanges;
}>;


export type UpdateLineMutation = { updateLine: { id: string } };

export type RotateLineSecretMutationVariables = Exact<{
  id: string;
}>;


export type RotateLineSecretMutation = { rotateLineSecret: { signingSecret: string | null, line: { name: string } } };

export type TestLineMutationVariables = Exact<{
  id: string;
  to?: string | null | undefined;
}>;


export type TestLineMutation = { testLine: { outcome: AttemptOutcome, detail: string } };

export type PauseLineMutationVariables = Exact<{
  id: string;
  reason?: string | null | undefined;
}>;


export type PauseLineMutation = { pauseLine: { id: string } };

export type ResumeLineMutationVariables = Exact<{
  id: string;
}>;


export type ResumeLineMutation = { resumeLine: { id: string } };

export type ArchiveLineMutationVariables = Exact<{
  id: string;
}>;


export type ArchiveLineMutation = { archiveLine: { id: string } };

export type SetDefaultLineMutationVariables = Exact<{
  id: string;
}>;


export type SetDefaultLineMutation = { setDefaultLine: { id: string } };

export const LineFragmentDoc = new TypedDocumentString(`
    fragment Line on Line {
  id
  name
  kind
  address
  state
  isDefault
  ratePerMinute
  pausedReason
  version
}
    `, {"fragmentName":"Line"}) as unknown as TypedDocumentString<LineFragment, unknown>;
export const LineDetailsFragmentDoc = new TypedDocumentString(`
    fragment LineDetails on Line {
  ...Line
  createdAt
  expireAfterSeconds
  whenUncertain
  optOutReply
  secretGeneration
  previousSecretUntil
  webhook {
    url
    addressKind
  }
  email {
    from
    host
    port
    security
    subject
    user
    hasPassword
  }
}
    fragment Line on Line {
  id
  name
  kind
  address
  state
  isDefault
  ratePerMinute
  pausedReason
  version
}`, {"fragmentName":"LineDetails"}) as unknown as TypedDocumentString<LineDetailsFragment, unknown>;
export const LinesDocument = new TypedDocumentString(`
    query Lines($agentId: ID!) {
  lines(agentId: $agentId) {
    ...Line
  }
}
    fragment Line on Line {
  id
  name
  kind
  address
  state
  isDefault
  ratePerMinute
  pausedReason
  version
}`) as unknown as TypedDocumentString<LinesQuery, LinesQueryVariables>;
export const LineDetailsDocument = new TypedDocumentString(`
    query LineDetails($agentId: ID!) {
  lines(agentId: $agentId) {
    ...LineDetails
  }
}
    fragment Line on Line {
  id
  name
  kind
  address
  state
  isDefault
  ratePerMinute
  pausedReason
  version
}
fragment LineDetails on Line {
  ...Line
  createdAt
  expireAfterSeconds
  whenUncertain
  optOutReply
  secretGeneration
  previousSecretUntil
  webhook {
    url
    addressKind
  }
  email {
    from
    host
    port
    security
    subject
    user
    hasPassword
  }
}`) as unknown as TypedDocumentString<LineDetailsQuery, LineDetailsQueryVariables>;
export const CreateLineDocument = new TypedDocumentString(`
    mutation CreateLine($input: NewLine!) {
  createLine(input: $input) {
    line {
      id
      name
    }
    signingSecret
  }
}
    `) as unknown as TypedDocumentString<CreateLineMutation, CreateLineMutationVariables>;
export const UpdateLineDocument = new TypedDocumentString(`
    mutation UpdateLine($input: LineChanges!) {
  updateLine(input: $input) {
    id
  }
}
    `) as unknown as TypedDocumentString<UpdateLineMutation, UpdateLineMutationVariables>;
export const RotateLineSecretDocument = new TypedDocumentString(`
    mutation RotateLineSecret($id: ID!) {
  rotateLineSecret(id: $id) {
    line {
      name
    }
    signingSecret
  }
}
    `) as unknown as TypedDocumentString<RotateLineSecretMutation, RotateLineSecretMutationVariables>;
export const TestLineDocument = new TypedDocumentString(`
    mutation TestLine($id: ID!, $to: String) {
  testLine(id: $id, to: $to) {
    outcome
    detail
  }
}
    `) as unknown as TypedDocumentString<TestLineMutation, TestLineMutationVariables>;
export const PauseLineDocument = new TypedDocumentString(`
    mutation PauseLine($id: ID!, $reason: String) {
  pauseLine(id: $id, reason: $reason) {
    id
  }
}
    `) as unknown as TypedDocumentString<PauseLineMutation, PauseLineMutationVariables>;
export const ResumeLineDocument = new TypedDocumentString(`
    mutation ResumeLine($id: ID!) {
  resumeLine(id: $id) {
    id
  }
}
    `) as unknown as TypedDocumentString<ResumeLineMutation, ResumeLineMutationVariables>;
export const ArchiveLineDocument = new TypedDocumentString(`
    mutation ArchiveLine($id: ID!) {
  archiveLine(id: $id) {
    id
  }
}
    `) as unknown as TypedDocumentString<ArchiveLineMutation, ArchiveLineMutationVariables>;
export const SetDefaultLineDocument = new TypedDocumentString(`
    mutation SetDefaultLine($id: ID!) {
  setDefaultLine(id: $id) {
    id
  }
}
    `) as unknown as TypedDocumentString<SetDefaultLineMutation, SetDefaultLineMutationVariables>;
