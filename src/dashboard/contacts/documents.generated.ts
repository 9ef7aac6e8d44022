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
/** A contact to create or change. It is found by `ref`, otherwise by its addresses. Omitted fields stay as they are, and null clears. */
export type ContactInput = {
  /** Addresses to add to those that the contact has, at most 10 in all; null removes all, which needs `ref`. */
  addresses?: Array<NewAddress> | null | undefined;
  /** ID of the agent. Members must pass it; a key must not, because it belongs to one agent. */
  agentId?: string | null | undefined;
  /** What the customer keeps about the contact, at most 8 KiB as JSON. It replaces all earlier attributes. */
  attributes?: Record<string, unknown> | null | undefined;
  /** Language as a BCP 47 tag, such as `de-CH`. */
  locale?: string | null | undefined;
  /** Name of the contact, 1 to 200 characters. */
  name?: string | null | undefined;
  /** The customer's own ID of the contact, 1 to 255 characters; unique within the agent. */
  ref?: string | null | undefined;
  /** IANA time zone, such as `Europe/Zurich`. */
  timezone?: string | null | undefined;
};

/** An address of a contact. */
export type NewAddress = {
  /** The address; blanks around it are removed. E-mail addresses become lower-case, phone numbers need a country code and become E.164. */
  address: string;
  /** Kind of the address. */
  kind: AddressKind;
};

export type ContactLabelFragment = { id: string, ref: string | null, name: string | null, addresses: Array<{ id: string, kind: AddressKind, address: string, optedOutAt: string | null }> };

export type ContactFragment = { agentId: string, locale: string | null, timezone: string | null, attributes: Record<string, unknown>, tags: Array<string>, createdAt: string, updatedAt: string, erasedAt: string | null, id: string, ref: string | null, name: string | null, addresses: Array<{ id: string, kind: AddressKind, address: string, optedOutAt: string | null }> };

export type ContactsQueryVariables = Exact<{
  agentId: string;
  first: number;
  after?: string | null | undefined;
  tag?: string | null | undefined;
  search?: string | null | undefined;
}>;


export type ContactsQuery = { contacts: { nodes: Array<{ tags: Array<string>, updatedAt: string, id: string, ref: string | null, name: string | null, addresses: Array<{ id: string, kind: AddressKind, address: string, optedOutAt: string | null }> }>, pageInfo: { hasNextPage: boolean, endCursor: string | null }, totalCount: { count: number, isExact: boolean } } };

export type ContactNamesQueryVariables = Exact<{
  agentId: string;
  ids: Array<string> | string;
}>;


export type ContactNamesQuery = { contacts: { nodes: Array<{ id: string, ref: string | null, name: string | null, addresses: Array<{ address: string }> }> } };

export type ContactQueryVariables = Exact<{
  id: string;
}>;


export type ContactQuery = { contact: { agentId: string, locale: string | null, timezone: string | null, attributes: Record<string, unknown>, tags: Array<string>, createdAt: string, updatedAt: string, erasedAt: string | null, id: string, ref: string | null, name: string | null, addresses: Array<{ id: string, kind: AddressKind, address: string, optedOutAt: string | null }> } | null };

export type PutContactMutationVariables = Exact<{
  input: ContactInput;
}>;


export type PutContactMutation = { putContact: { created: boolean, contact: { id: string } } };

export type ChangeContactTagsMutationVariables = Exact<{
  id: string;
  add?: Array<string> | string | null | undefined;
  remove?: Array<string> | string | null | undefined;
}>;


export type ChangeContactTagsMutation = { changeContactTags: { changed: Array<string> } };

export type EraseContactMutationVariables = Exact<{
  id: string;
}>;


export type EraseContactMutation = { eraseContact: { id: string } };

export const ContactLabelFragmentDoc = new TypedDocumentString(`
    fragment ContactLabel on Contact {
  id
  ref
  name
  addresses {
    id
    kind
    address
    optedOutAt
  }
}
    `, {"fragmentName":"ContactLabel"}) as unknown as TypedDocumentString<ContactLabelFragment, unknown>;
export const ContactFragmentDoc = new TypedDocumentString(`
    fragment Contact on Contact {
  ...ContactLabel
  agentId
  locale
  timezone
  attributes
  tags
  createdAt
  updatedAt
  erasedAt
}
    fragment ContactLabel on Contact {
  id
  ref
  name
  addresses {
    id
    kind
    address
    optedOutAt
  }
}`, {"fragmentName":"Contact"}) as unknown as TypedDocumentString<ContactFragment, unknown>;
export const ContactsDocument = new TypedDocumentString(`
    query Contacts($agentId: ID!, $first: Int!, $after: String, $tag: String, $search: String) {
  contacts(
    agentId: $agentId
    first: $first
    after: $after
    tag: $tag
    search: $search
    order: newest_first
  ) {
    nodes {
      ...ContactLabel
      tags
      updatedAt
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
    fragment ContactLabel on Contact {
  id
  ref
  name
  addresses {
    id
    kind
    address
    optedOutAt
  }
}`) as unknown as TypedDocumentString<ContactsQuery, ContactsQueryVariables>;
export const ContactNamesDocument = new TypedDocumentString(`
    query ContactNames($agentId: ID!, $ids: [ID!]!) {
  contacts(agentId: $agentId, ids: $ids, first: 100) {
    nodes {
      id
      ref
      name
      addresses {
        address
      }
    }
  }
}
    `) as unknown as TypedDocumentString<ContactNamesQuery, ContactNamesQueryVariables>;
export const ContactDocument = new TypedDocumentString(`
    query Contact($id: ID!) {
  contact(id: $id) {
    ...Contact
  }
}
    fragment ContactLabel on Contact {
  id
  ref
  name
  addresses {
    id
    kind
    address
    optedOutAt
  }
}
fragment Contact on Contact {
  ...ContactLabel
  agentId
  locale
  timezone
  attributes
  tags
  createdAt
  updatedAt
  erasedAt
}`) as unknown as TypedDocumentString<ContactQuery, ContactQueryVariables>;
export const PutContactDocument = new TypedDocumentString(`
    mutation PutContact($input: ContactInput!) {
  putContact(input: $input) {
    created
    contact {
      id
    }
  }
}
    `) as unknown as TypedDocumentString<PutContactMutation, PutContactMutationVariables>;
export const ChangeContactTagsDocument = new TypedDocumentString(`
    mutation ChangeContactTags($id: ID!, $add: [String!], $remove: [String!]) {
  changeContactTags(id: $id, add: $add, remove: $remove) {
    changed
  }
}
    `) as unknown as TypedDocumentString<ChangeContactTagsMutation, ChangeContactTagsMutationVariables>;
export const EraseContactDocument = new TypedDocumentString(`
    mutation EraseContact($id: ID!) {
  eraseContact(id: $id) {
    id
  }
}
    `) as unknown as TypedDocumentString<EraseContactMutation, EraseContactMutationVariables>;
