// Written by `npm run fix` from schema.graphql and the *.graphql files here.
/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import { TypedDocumentString } from "../api/typed-document";
/** State of an API key. */
export const ApiKeyState = {
  /** Accepted while the organization is active. */
  Active: 'active',
  /** Past its expiry, refused with 401. */
  Expired: 'expired',
  /** Permanently refused with 403. */
  Revoked: 'revoked'
} as const;

export type ApiKeyState = typeof ApiKeyState[keyof typeof ApiKeyState];
/** Why an API key was refused. */
export const KeyRefusal = {
  /** It was used from an address that it does not allow. */
  Address: 'address',
  /** It was revoked, expired or unresolvable. */
  Inactive: 'inactive'
} as const;

export type KeyRefusal = typeof KeyRefusal[keyof typeof KeyRefusal];
/** Period of a usage report. */
export const UsagePeriod = {
  /** 24 buckets of one hour; the last is the current hour. */
  Last_24Hours: 'last_24_hours',
  /** 30 buckets of one UTC day; the last is the current day. */
  Last_30Days: 'last_30_days'
} as const;

export type UsagePeriod = typeof UsagePeriod[keyof typeof UsagePeriod];
export type UseFragment = { accepted: number, refused: number, lastRefusal: KeyRefusal | null, apiKey: { id: string, name: string, hint: string, state: ApiKeyState, agent: { id: string, name: string } }, buckets: Array<{ accepted: number, refused: number }> };

export type FirstStepsQueryVariables = Exact<{ [key: string]: never; }>;


export type FirstStepsQuery = { firstSteps: { keyMinted: boolean, keyUsed: boolean, petAdded: boolean, messageQueued: boolean } };

export type UsageQueryVariables = Exact<{
  period: UsagePeriod;
  days: number;
}>;


export type UsageQuery = { usageTotals: { accepted: number, refused: number, buckets: Array<{ start: string, accepted: number, refused: number }> }, used: Array<{ accepted: number, refused: number, lastRefusal: KeyRefusal | null, apiKey: { id: string, name: string, hint: string, state: ApiKeyState, agent: { id: string, name: string } }, buckets: Array<{ accepted: number, refused: number }> }>, rejected: Array<{ accepted: number, refused: number, lastRefusal: KeyRefusal | null, apiKey: { id: string, name: string, hint: string, state: ApiKeyState, agent: { id: string, name: string } }, buckets: Array<{ accepted: number, refused: number }> }>, expiring: { totalCount: { count: number, isExact: boolean } } };

export type ActivityQueryVariables = Exact<{
  period: UsagePeriod;
}>;


export type ActivityQuery = { activity: { sent: { count: number, isExact: boolean }, delivered: { count: number, isExact: boolean }, failed: { count: number, isExact: boolean }, decisions: { count: number, isExact: boolean } } };

export const UseFragmentDoc = new TypedDocumentString(`
    fragment Use on KeyUsage {
  accepted
  refused
  lastRefusal
  apiKey {
    id
    name
    hint
    state
    agent {
      id
      name
    }
  }
  buckets {
    accepted
    refused
  }
}
    `, {"fragmentName":"Use"}) as unknown as TypedDocumentString<UseFragment, unknown>;
export const FirstStepsDocument = new TypedDocumentString(`
    query FirstSteps {
  firstSteps {
    keyMinted
    keyUsed
    petAdded
    messageQueued
  }
}
    `) as unknown as TypedDocumentString<FirstStepsQuery, FirstStepsQueryVariables>;
export const UsageDocument = new TypedDocumentString(`
    query Usage($period: UsagePeriod!, $days: Int!) {
  usageTotals(period: $period) {
    accepted
    refused
    buckets {
      start
      accepted
      refused
    }
  }
  used: keyUsage(period: $period, outcome: accepted, first: 5) {
    ...Use
  }
  rejected: keyUsage(period: $period, outcome: refused, first: 5) {
    ...Use
  }
  expiring: apiKeys(first: 1, expiresWithinDays: $days) {
    totalCount {
      count
      isExact
    }
  }
}
    fragment Use on KeyUsage {
  accepted
  refused
  lastRefusal
  apiKey {
    id
    name
    hint
    state
    agent {
      id
      name
    }
  }
  buckets {
    accepted
    refused
  }
}`) as unknown as TypedDocumentString<UsageQuery, UsageQueryVariables>;
export const ActivityDocument = new TypedDocumentString(`
    query Activity($period: UsagePeriod!) {
  activity(period: $period) {
    sent {
      count
      isExact
    }
    delivered {
      count
      isExact
    }
    failed {
      count
      isExact
    }
    decisions {
      count
      isExact
    }
  }
}
    `) as unknown as TypedDocumentString<ActivityQuery, ActivityQueryVariables>;
