import { listRoute, named, type RouteGroup } from "../../schema/rest-route";

const CONTACT =
  "id ref name locale timezone attributes addresses { id kind address optedOutAt undeliverableAt } tags version handedOffAt createdAt updatedAt erasedAt";

const ID = {
  name: "contactId",
  variable: "id",
  format: "uuid",
  example: "01a1fcd2-9a10-7c1e-9f0b-6a1f7c0f2b11",
} as const;
const CONSENTS = "consents { addressId topic state source evidence changedAt }";
const CONSENT = {
  addressId: "01a1fcd2-9a10-7c1e-9f0b-6a1f7c0f2b12",
  topic: "news",
  state: "in",
  source: "api",
  evidence: "Form on our website, 21 November 2026",
  changedAt: "2026-11-21T06:37:02.864Z",
};

const TAG = { name: "tag", variable: "tag", example: "vip" } as const;

const ANNA = {
  id: "01a1fcd2-9a10-7c1e-9f0b-6a1f7c0f2b11",
  ref: "customer-17",
  name: "Anna",
  locale: "de-CH",
  attributes: { plan: "pro" },
  addresses: [{ id: "01a1fcd2-9a10-7c1e-9f0b-6a1f7c0f2b12", kind: "email", address: "anna@example.com" }],
  tags: ["vip"],
  version: 1,
  createdAt: "2026-11-21T06:37:02.864Z",
  updatedAt: "2026-11-21T06:37:02.864Z",
};

const CHANGE = { tags: ["new", "vip"], changed: ["new"] };
const TAG_ERRORS = ["conflict", "limit_reached"] as const;
const CHANGED = "All of the contact's tags, and the tags that changed.";

export const contactRoutes: RouteGroup = {
  tag: "Contacts",
  description: "The people the agent talks to.",
  routes: [
    {
      operationId: "putContact",
      summary: "Create or change a contact",
      method: "POST",
      path: "/agent/contacts",
      document: `mutation putContact($input: PutContactInput!) {
        putContact(input: $input) { created contact { ${CONTACT} } }
      }`,
      bodyVariable: "input",
      status: { oneOf: [200, 201], choose: ({ created }) => (created === true ? 201 : 200) },
      result: ["putContact", "contact"],
      location: ({ id }) => `/agent/contacts/${id}`,
      errors: ["conflict", "limit_reached"],
      destructive: true,
      answers: { 200: "The existing contact.", 201: "The new contact." },
      example: {
        body: {
          ref: "customer-17",
          name: "Anna",
          locale: "de-CH",
          attributes: { plan: "pro" },
          addresses: [{ kind: "email", address: "Anna@Example.com" }],
        },
        answer: ANNA,
      },
    },
    {
      operationId: "putContacts",
      summary: "Create or change multiple contacts",
      method: "POST",
      path: "/agent/contacts/batch",
      document: `mutation putContacts($contacts: [PutContactInput!]!) {
        putContacts(input: { contacts: $contacts }) { results { contactId created errorCode errorText } }
      }`,
      bodyMembers: named("contacts"),
      destructive: true,
      isForModels: false,
      answers: "The result for each contact, in the order of the request.",
      example: {
        body: {
          contacts: [
            { ref: "customer-17", name: "Anna", tags: ["vip"] },
            { ref: "customer-18", addresses: [{ kind: "email", address: "Anna@Example.com" }] },
          ],
        },
        answer: {
          results: [
            { contactId: ANNA.id, created: true },
            {
              created: false,
              errorCode: "conflict",
              errorText: "Another contact has one of the addresses.",
            },
          ],
        },
      },
    },
    listRoute({
      operationId: "listContacts",
      summary: "List contacts",
      path: "/agent/contacts",
      field: "contacts",
      parameters: "tag: String, search: String, ids: [ID!], order: ListOrder",
      node: CONTACT,
      answers: "One page of contacts.",
      example: { answer: [ANNA] },
    }),
    {
      operationId: "getContact",
      summary: "Get a contact",
      description: "One contact. Returns 404 if it does not exist.",
      method: "GET",
      path: "/agent/contacts/:contactId",
      document: `query getContact($id: ID!) { contact(by: { id: $id }) { ${CONTACT} } }`,
      pathParameters: [ID],
      answers: "The contact.",
      example: { answer: ANNA },
    },
    {
      operationId: "eraseContact",
      summary: "Erase a contact",
      method: "DELETE",
      path: "/agent/contacts/:contactId",
      document: "mutation eraseContact($id: ID!) { eraseContact(input: { id: $id }) { id } }",
      pathParameters: [ID],
      status: 204,
      answers: "The contact was erased by this or an earlier request.",
      example: {},
    },
    listRoute({
      operationId: "exportContact",
      summary: "Export a contact",
      path: "/agent/contacts/:contactId/export",
      field: "exportContact",
      parameters: "id: ID!",
      node: "kind data",
      pathParameters: [ID],
      isForModels: false,
      answers: "One page of the records about the contact.",
      example: {
        answer: [
          { kind: "contact", data: ANNA },
          { kind: "tag", data: { tag: "vip" } },
        ],
      },
    }),
    {
      operationId: "listContactConsents",
      summary: "List a contact's consents",
      description: "The consents for a contact's addresses. Returns 404 if the contact does not exist.",
      method: "GET",
      path: "/agent/contacts/:contactId/consents",
      document: `query listContactConsents($id: ID!) { contact(by: { id: $id }) { ${CONSENTS} } }`,
      pathParameters: [ID],
      isForModels: false,
      answers: "All of the contact's consents.",
      example: { answer: { consents: [CONSENT] } },
    },
    {
      operationId: "setContactConsent",
      summary: "Set a contact's consent",
      description:
        "Sets a contact's consent to messages about a topic, or to all messages (`*`). An opt-out cancels queued and scheduled messages.",
      method: "PUT",
      path: "/agent/contacts/:contactId/consents/:topic",
      document: `mutation setContactConsent(
        $id: ID!, $topic: String!, $state: ConsentState!, $addressId: ID, $evidence: String
      ) {
        setConsent(
          input: { id: $id, topic: $topic, state: $state, addressId: $addressId, evidence: $evidence }
        ) { ${CONSENTS} }
      }`,
      pathParameters: [ID, { name: "topic", variable: "topic", example: "news" }],
      bodyMembers: named("state", "addressId", "evidence"),
      errors: ["conflict"],
      destructive: true,
      isForModels: false,
      answers: "All of the contact's consents.",
      example: {
        body: { state: "in", evidence: CONSENT.evidence },
        answer: { consents: [CONSENT] },
      },
    },
    {
      operationId: "listContactTags",
      summary: "List a contact's tags",
      description: "A contact's tags. Returns 404 if the contact does not exist.",
      method: "GET",
      path: "/agent/contacts/:contactId/tags",
      document: "query listContactTags($id: ID!) { contact(by: { id: $id }) { tags } }",
      pathParameters: [ID],
      answers: "All of the contact's tags.",
      example: { answer: { tags: ["new", "vip"] } },
    },
    {
      operationId: "changeContactTags",
      summary: "Add and remove a contact's tags",
      method: "POST",
      path: "/agent/contacts/:contactId/tags",
      document: `mutation changeContactTags($id: ID!, $add: [String!], $remove: [String!]) {
        changeContactTags(input: { id: $id, add: $add, remove: $remove }) { tags changed }
      }`,
      pathParameters: [ID],
      bodyMembers: named("add", "remove"),
      errors: TAG_ERRORS,
      destructive: true,
      answers: CHANGED,
      example: { body: { add: ["new"], remove: ["lead"] }, answer: CHANGE },
    },
    {
      operationId: "addContactTag",
      summary: "Add a tag to a contact",
      description: "Adds a tag to a contact. A contact can have at most 50 tags.",
      method: "PUT",
      path: "/agent/contacts/:contactId/tags/:tag",
      document: `mutation addContactTag($id: ID!, $tag: String!) {
        changeContactTags(input: { id: $id, add: [$tag] }) { tags changed }
      }`,
      pathParameters: [ID, TAG],
      errors: TAG_ERRORS,
      answers: CHANGED,
      example: { answer: CHANGE },
    },
    {
      operationId: "removeContactTag",
      summary: "Remove a tag from a contact",
      description: "Removes a tag from a contact, if the contact has it.",
      method: "DELETE",
      path: "/agent/contacts/:contactId/tags/:tag",
      document: `mutation removeContactTag($id: ID!, $tag: String!) {
        changeContactTags(input: { id: $id, remove: [$tag] }) { tags changed }
      }`,
      pathParameters: [ID, TAG],
      errors: ["conflict"],
      answers: CHANGED,
      example: { answer: { tags: ["new"], changed: ["vip"] } },
    },
  ],
};
