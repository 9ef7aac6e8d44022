import { timestamp } from "../../src/common/time";
import type { ErrorCode } from "../../src/errors";
import { AddressKind, ContactAddress } from "../../src/features/contacts/contact-address.entity";
import { MemberIdentity } from "../../src/features/members/member-identity.entity";
import { Message } from "../../src/features/messages/message.entity";
import { MessageStatus } from "../../src/features/messages/message.enums";
import { Authenticator } from "../support/authenticator";
import { addContact } from "../support/contacts";
import { addConversation } from "../support/conversations";
import { decisionClient } from "../support/decisions";
import { mint, operator } from "../support/gateway";
import { addLine, addWebhookLine, PUBLIC_URL } from "../support/lines";
import { storeConnectionRequest } from "../support/oauth";
import {
  addPasskey,
  PASSKEY_ORIGIN,
  startRegistration,
  startSignIn,
  storePasskey,
} from "../support/passkeys";
import { addMember, invite, TEST_PASSWORD } from "../support/people";
import { addTimer } from "../support/timers";
import { addEndpoint, storeDelivery } from "../support/webhooks";
import type { AccessFixture, CallerName } from "./callers";

/** The outcome of a call: `ok`, or the code of the error. */
export type Outcome = "ok" | ErrorCode;

/** The outcome for each caller. */
export type Outcomes = Readonly<Record<CallerName, Outcome>>;

/** Returns the same outcome for several callers. */
const each = <C extends CallerName, O extends Outcome>(callers: readonly C[], outcome: O) =>
  Object.fromEntries(callers.map((caller) => [caller, outcome])) as Record<C, O>;

const MEMBERS_WITHOUT_MANAGE = [
  "a member without permission",
  "a member with conversations:read",
  "a member with conversations:write",
] as const;
const MEMBERS = [
  ...MEMBERS_WITHOUT_MANAGE,
  "a member with permission",
  "a member of a deactivated organization",
  "a member of another organization",
] as const;
const AGENT_KEYS = ["an agent key", "a key with only pets:read"] as const;
const ORGANIZATION_KEYS = [
  "an organization key",
  "an organization key with only members:read",
  "an organization key of another organization",
] as const;

const EVERY_MEMBER_OK = each(MEMBERS, "ok");
const NO_MEMBER = each(MEMBERS, "forbidden");
const EVERY_ORGANIZATION_KEY_OK = each(ORGANIZATION_KEYS, "ok");
const NO_KEY = {
  ...each([...ORGANIZATION_KEYS, ...AGENT_KEYS], "forbidden"),
  anonymous: "unauthenticated",
  "a revoked key": "key_revoked",
  "an expired key": "key_expired",
  "a key of a deactivated organization": "key_not_resolvable",
} as const;
const EVERY_KEY_OK = { ...NO_KEY, ...each(AGENT_KEYS, "ok"), ...NO_MEMBER } as const;
const KEYS_WITH_ANOTHER_SCOPE = {
  ...EVERY_KEY_OK,
  "a key with only pets:read": "insufficient_scope",
} as const;
/** Of members without config:manage, and of managers of the first, a deactivated and another organization. */
const managers = (others: Outcome, deactivated: Outcome, another: Outcome) =>
  ({
    ...each(MEMBERS_WITHOUT_MANAGE, others),
    "a member with permission": "ok",
    "a member of a deactivated organization": deactivated,
    "a member of another organization": another,
  }) as const;

/** Adds the outcomes of organization keys, which may do the same as managers. */
const orKeys = (outcomes: Outcomes): Outcomes => ({
  ...outcomes,
  "an organization key": outcomes["a member with permission"],
  "an organization key with only members:read": "insufficient_scope",
  "an organization key of another organization": outcomes["a member of another organization"],
});

const ALLOWED = {
  anyone: { ...EVERY_KEY_OK, anonymous: "ok", ...EVERY_ORGANIZATION_KEY_OK, ...EVERY_MEMBER_OK },
  /** A field for every agent key, or for every key with pets:read. */
  agentKeys: EVERY_KEY_OK,
  everyKey: { ...EVERY_KEY_OK, ...EVERY_ORGANIZATION_KEY_OK },
  agentKeysAndMembers: { ...EVERY_KEY_OK, ...EVERY_MEMBER_OK },
  keysWithAnotherScope: KEYS_WITH_ANOTHER_SCOPE,
  /** A change to data that all organizations share. */
  scopedKeysAndManagersOfAny: {
    ...KEYS_WITH_ANOTHER_SCOPE,
    ...managers("forbidden", "organization_deactivated", "ok"),
  },
  members: { ...NO_KEY, ...EVERY_MEMBER_OK },
  membersAndOrganizationKeys: { ...NO_KEY, ...EVERY_MEMBER_OK, ...EVERY_ORGANIZATION_KEY_OK },
  managers: { ...NO_KEY, ...managers("forbidden", "ok", "ok") },
  /** A change to the caller's own organization. */
  managersOfOwn: { ...NO_KEY, ...managers("forbidden", "organization_deactivated", "ok") },
  /** A change to something in the first organization that no other organization can see. */
  managersOfTheFirst: { ...NO_KEY, ...managers("forbidden", "organization_deactivated", "not_found") },
  /**
   * A call that is allowed even while the caller's organization is deactivated. Members of all other organizations get
   * `not_found`.
   */
  managersEvenWhileDeactivated: { ...NO_KEY, ...managers("forbidden", "not_found", "not_found") },
  /** A call of which members without permission learn only that the object does not exist. */
  managersAlone: { ...NO_KEY, ...managers("not_found", "not_found", "not_found") },
  /** A read of data about an agent of the first organization. */
  scopedKeysAndManagersOfTheFirst: {
    ...KEYS_WITH_ANOTHER_SCOPE,
    ...managers("forbidden", "not_found", "not_found"),
  },
  /** A read of the first agent's contacts; even managers need conversations:read. */
  scopedKeysAndReaders: { ...KEYS_WITH_ANOTHER_SCOPE, "a member with conversations:read": "ok" },
  readers: { ...NO_KEY, ...NO_MEMBER, "a member with conversations:read": "ok" },
  scopedKeysAndWriters: { ...KEYS_WITH_ANOTHER_SCOPE, "a member with conversations:write": "ok" },
  scopedKeysAndManagers: {
    ...KEYS_WITH_ANOTHER_SCOPE,
    ...managers("forbidden", "organization_deactivated", "not_found"),
  },
} as const satisfies Record<string, Outcomes>;

/** A call to one field of Query or Mutation, and its outcome for each caller. */
export interface Entry {
  outcomes: Outcomes;
  document: string;
  variables?: (fixture: AccessFixture, caller: CallerName) => Promise<Record<string, unknown>>;
}

const UNKNOWN_ID = "018f0000-0000-7000-8000-000000000000";
const uniqueSlug = () => Math.random().toString(36).slice(2);
const uniqueName = () => Math.random().toString(36);
/** Creates a key of the first agent, which an organization key could have minted. */
const aKey = async ({ gateway }: AccessFixture) => ({
  id: (await mint(gateway, { scopes: ["pets:read"], allowedNetworks: ["127.0.0.0/8"] })).id,
});

const aMember = async ({ gateway }: AccessFixture) => ({
  id: (await addMember(gateway, { manage: true })).id,
});

/** Creates a member with an account at an issuer. */
const aLinkedMember = async ({ gateway }: AccessFixture) => {
  const { id } = await addMember(gateway);
  await gateway.services.database.write((tx) =>
    tx.insert(MemberIdentity, {
      memberId: id,
      issuer: "https://issuer.example.com",
      subject: id,
      boundAt: timestamp(),
    }),
  );
  return { id };
};

const aPasskey = async ({ gateway }: AccessFixture) => ({
  id: await storePasskey(gateway, (await addMember(gateway)).id),
});

const ownPasskey: Entry["variables"] = async ({ gateway, memberOf }, caller) => ({
  id: await storePasskey(gateway, (memberOf(caller) ?? (await addMember(gateway))).id),
});

/** Returns a passkey that the caller may add. */
const newPasskey: Entry["variables"] = async ({ gateway, memberOf }, caller) => {
  const options = await startRegistration(gateway, memberOf(caller) ?? (await addMember(gateway)));
  return { input: { ...new Authenticator(PASSKEY_ORIGIN).create(options), name: "x" } };
};

/** Creates a signature of a new member's passkey. */
const signature = async ({ gateway }: AccessFixture) => {
  const { authenticator } = await addPasskey(gateway, await addMember(gateway));
  return { input: authenticator.get(await startSignIn(gateway)) };
};

/** Creates a session of a new member of the first organization. */
const aSession = async ({ gateway }: AccessFixture) => {
  const { id } = await addMember(gateway);
  const [session] = await gateway.services.sessions.list(await operator(gateway), id);
  return { id: session?.id };
};

const anInvitation = async ({ gateway }: AccessFixture) => {
  // The organization's limit may be lower than the number of callers.
  await gateway.services.database.write((tx) => tx.query("delete from invitation"));
  const { invitation, link } = await invite(gateway);
  return { id: invitation.id, token: link.split("#")[1] };
};

/** Creates an invitation, and returns its acceptance. */
const acceptance = async (fixture: AccessFixture) => ({
  input: { token: (await anInvitation(fixture)).token, password: TEST_PASSWORD },
});

const aNewAgent = async ({ gateway }: AccessFixture) => {
  const agent = { slug: `agent-${uniqueSlug()}`, name: "Agent" };
  return { id: (await gateway.services.agents.create(await operator(gateway), agent)).id };
};

const aLine = async ({ gateway, agentId }: AccessFixture) => ({
  id: (await addLine(gateway, { agentId })).id,
});

const anEndpoint = async ({ gateway, agentId }: AccessFixture) => {
  // The organization's limit may be lower than the number of callers.
  await gateway.services.database.write((tx) => tx.query("delete from webhook_endpoint"));
  return { id: (await addEndpoint(gateway, { agentId })).id };
};

const aMessage = async ({ gateway }: AccessFixture) => ({
  id: (await gateway.rest("POST", "/messages", { body: { message: "hello" } })).body.id,
});

/** Creates a message that waits for approval. */
const aProposedMessage = async ({ gateway }: AccessFixture) => {
  const body = { message: "hello", sendAt: new Date(Date.now() + 3_600_000).toISOString() };
  const { id } = (await gateway.rest("POST", "/messages", { body })).body;
  const { proposed: status } = MessageStatus;
  await gateway.services.database.write((tx) => tx.update(Message, { id }, { status }));
  return { id };
};

/** Creates a contact of the first agent, with an address. */
const aContactWithAddress = async ({ gateway, agentId }: AccessFixture) => {
  const addresses = [{ kind: AddressKind.local, address: uniqueName() }];
  return { id: await addContact(gateway, { agentId, addresses }) };
};

const aContact = async ({ gateway, agentId }: AccessFixture) => ({
  id: await addContact(gateway, { agentId }),
});

const aConversation = async ({ gateway, agentId }: AccessFixture) => addConversation(gateway, { agentId });

const aDecision = async ({ gateway }: AccessFixture) => ({
  id: (await decisionClient(gateway).decide({ type: "in.the.matrix" })).body.id as string,
});

const aTimer = async ({ gateway, agentId }: AccessFixture) => ({ id: await addTimer(gateway, agentId) });

/** Returns the agent: every caller must name it, except its own keys, which must not. */
const agentForMembers = async ({ agentId }: AccessFixture, caller: CallerName) =>
  caller.startsWith("a member") || caller.startsWith("an organization") ? { agentId } : {};

const ofAgent = async ({ agentId: id }: AccessFixture) => ({ id });

/** The types of the variables in documents; an input has the name of its field. */
const TYPES: Readonly<Record<string, string>> = {
  id: "ID!",
  agentId: "ID",
  addressId: "ID!",
  name: "String!",
  token: "String!",
  since: "DateTimeISO!",
};

/** Returns a document that calls a field, such as `Query.pets`, with the rest of the call: arguments and selection. */
export function documentOf(coordinate: string, call: string): string {
  const [type = "", field = ""] = coordinate.split(".");
  const input = `${field.charAt(0).toUpperCase()}${field.slice(1)}Input!`;
  const names = new Set([...call.matchAll(/\$(\w+)/g)].map(([, name = ""]) => name));
  const variables = [...names].map((name) => `$${name}: ${TYPES[name] ?? input}`).join(", ");
  return `${type.toLowerCase()} ${variables && `(${variables})`} { ${field}${call} }`;
}

/** Calls of a query for one object, a query for a list of an agent, and mutations. */
const one = (selection = "id") => `(id: $id) { ${selection} }`;
const ofAgents = (selection: string) => `(agentId: $agentId) { ${selection} }`;
export const byId = (selection = "id", more = "") => `(input: { id: $id${more} }) { ${selection} }`;
const byInput = (selection = "id") => `(input: $input) { ${selection} }`;

type Row = [outcomes: Outcomes, call: string, variables?: Entry["variables"]];

/** Every field of Query, Mutation and Subscription, with the rest of its call; the test fails when one is missing. */
const ROWS: Readonly<Record<string, Row>> = {
  "Query.whoami": [ALLOWED.everyKey, "{ agent { id } }"],
  "Query.pets": [ALLOWED.agentKeysAndMembers, "{ nodes { id } }"],
  "Query.pet": [ALLOWED.agentKeysAndMembers, '(id: "1") { id }'],
  "Query.message": [ALLOWED.scopedKeysAndReaders, `(id: "${UNKNOWN_ID}") { id }`],
  "Query.messages": [ALLOWED.scopedKeysAndReaders, ofAgents("nodes { id }"), agentForMembers],
  "Query.viewer": [ALLOWED.anyone, "{ id organization { id } }"],
  "Query.signInOptions": [ALLOWED.anyone, "{ password issuerName }"],
  "Query.members": [ALLOWED.membersAndOrganizationKeys, "{ id }"],
  "Query.sessions": [ALLOWED.members, "{ id isCurrent }"],
  "Query.passkeys": [ALLOWED.members, "{ id name }"],
  "Query.invitations": [ALLOWED.managers, "{ id }"],
  "Query.invitation": [ALLOWED.anyone, "(token: $token) { id }", anInvitation],
  "Query.organization": [ALLOWED.membersAndOrganizationKeys, "{ id createdAt }"],
  "Query.agents": [ALLOWED.membersAndOrganizationKeys, "{ id }"],
  "Query.apiKeys": [orKeys(ALLOWED.managers), "{ nodes { id agent { id } } }"],
  "Query.apiKey": [orKeys(ALLOWED.managers), one(), aKey],
  "Query.connectionRequest": [
    ALLOWED.managers,
    one(),
    async ({ gateway }) => ({ id: await storeConnectionRequest(gateway) }),
  ],
  "Query.auditLog": [orKeys(ALLOWED.managers), "{ nodes { id } }"],
  "Query.firstSteps": [ALLOWED.members, "{ keyMinted }"],
  "Query.keyUsage": [orKeys(ALLOWED.managers), "{ accepted }"],
  "Query.deprecatedUse": [orKeys(ALLOWED.managers), "{ nodes { uses } }"],
  "Query.operationUse": [orKeys(ALLOWED.managers), "(keyId: $id) { uses }", aKey],
  "Query.usageTotals": [orKeys(ALLOWED.managers), "{ accepted }"],
  "Query.activity": [ALLOWED.readers, "{ decisions { count } }"],
  "Query.agentSummaries": [ALLOWED.managers, "{ agentId activeKeys lines liveVersion lastDecisionAt }"],
  "Query.lineActivity": [
    orKeys(ALLOWED.managersEvenWhileDeactivated),
    "(lineId: $id) { queued { count isExact } held { count } }",
    aLine,
  ],
  "Query.attention": [
    ALLOWED.membersAndOrganizationKeys,
    "{ kind count isCountExact since agent { id } line { id } }",
  ],
  "Query.lines": [orKeys(ALLOWED.scopedKeysAndManagersOfTheFirst), ofAgents("id"), agentForMembers],
  "Query.lineChoices": [ALLOWED.readers, "(agentId: $id) { id name kind addressKind state }", ofAgent],
  "Mutation.createLine": [
    orKeys(ALLOWED.managersOfTheFirst),
    byInput("line { id }"),
    async ({ agentId }) => ({ input: { agentId, name: uniqueSlug() } }),
  ],
  "Mutation.updateLine": [
    orKeys(ALLOWED.managersOfTheFirst),
    byInput(),
    async (fixture) => ({ input: { ...(await aLine(fixture)), name: uniqueSlug() } }),
  ],
  "Mutation.testLine": [orKeys(ALLOWED.managersOfTheFirst), byId("outcome"), aLine],
  "Mutation.rotateLineSecret": [
    orKeys(ALLOWED.managersOfTheFirst),
    byId("line { id }"),
    async ({ gateway, agentId }) => ({ id: (await addWebhookLine(gateway, { agentId })).id }),
  ],
  "Mutation.pauseLine": [orKeys(ALLOWED.managersOfTheFirst), byId(), aLine],
  "Mutation.resumeLine": [orKeys(ALLOWED.managersOfTheFirst), byId(), aLine],
  "Mutation.archiveLine": [orKeys(ALLOWED.managersOfTheFirst), byId(), aLine],
  "Mutation.setDefaultLine": [orKeys(ALLOWED.managersOfTheFirst), byId(), aLine],
  "Query.webhookEndpoints": [orKeys(ALLOWED.managers), "{ id }"],
  "Query.webhookEndpoint": [orKeys(ALLOWED.managers), one(), anEndpoint],
  "Query.webhookDeliveries": [
    orKeys(ALLOWED.managersEvenWhileDeactivated),
    "(endpointId: $id) { nodes { id } }",
    anEndpoint,
  ],
  "Query.find": [ALLOWED.members, '(text: "x") { id }'],
  "Query.missedWebhookEvents": [
    orKeys(ALLOWED.managersEvenWhileDeactivated),
    "(id: $id, from: { since: $since }) { count }",
    async (fixture) => ({ ...(await anEndpoint(fixture)), since: new Date() }),
  ],
  "Mutation.createWebhookEndpoint": [
    orKeys(ALLOWED.managersOfTheFirst),
    byInput("endpoint { id }"),
    async ({ agentId }) => ({ input: { agentId, url: PUBLIC_URL } }),
  ],
  "Mutation.updateWebhookEndpoint": [
    orKeys(ALLOWED.managersOfTheFirst),
    byInput(),
    async (fixture) => ({ input: { ...(await anEndpoint(fixture)), description: "x" } }),
  ],
  "Mutation.rotateWebhookSecret": [orKeys(ALLOWED.managersOfTheFirst), byId("endpoint { id }"), anEndpoint],
  "Mutation.redeliver": [
    orKeys(ALLOWED.managersOfTheFirst),
    byId("id", ", from: { since: $since }"),
    async (fixture) => ({ ...(await anEndpoint(fixture)), since: new Date() }),
  ],
  "Mutation.resendWebhookDelivery": [
    orKeys(ALLOWED.managersOfTheFirst),
    byId(),
    async (fixture) => ({
      id: await storeDelivery(fixture.gateway, await anEndpoint(fixture), fixture.agentId),
    }),
  ],
  "Mutation.sendTestEvent": [
    orKeys(ALLOWED.managersOfTheFirst),
    byId("outcome"),
    async (fixture) => {
      const endpoint = await anEndpoint(fixture);
      // The gateway does not connect to this address, so the test needs no network.
      await fixture.gateway.services.database.write((tx) =>
        tx.query("update webhook_endpoint set url = 'http://127.0.0.1/' where id = $1", [endpoint.id]),
      );
      return endpoint;
    },
  ],
  "Mutation.deleteWebhookEndpoint": [orKeys(ALLOWED.managersOfTheFirst), byId(), anEndpoint],
  "Mutation.enableWebhookEndpoint": [orKeys(ALLOWED.managersOfTheFirst), byId(), anEndpoint],
  "Mutation.disableWebhookEndpoint": [orKeys(ALLOWED.managersOfTheFirst), byId(), anEndpoint],
  "Query.configuration": [
    orKeys(ALLOWED.scopedKeysAndManagersOfTheFirst),
    ofAgents("version"),
    agentForMembers,
  ],
  "Query.configurationVersions": [
    orKeys(ALLOWED.managersEvenWhileDeactivated),
    "(agentId: $id) { nodes { version } }",
    ofAgent,
  ],
  "Query.configurationDraft": [
    orKeys(ALLOWED.managersEvenWhileDeactivated),
    "(agentId: $id) { revision }",
    ofAgent,
  ],
  "Query.checkConfiguration": [orKeys(ALLOWED.managers), "(document: {}) { problems { path } }"],
  "Mutation.saveConfigurationDraft": [
    orKeys(ALLOWED.managersOfTheFirst),
    "(input: { agentId: $id, document: {}, expectedRevision: 0 }) { draft { revision } }",
    aNewAgent,
  ],
  "Mutation.publishConfiguration": [
    orKeys(ALLOWED.managersOfTheFirst),
    "(input: { agentId: $id, expectedLiveVersion: 1, fromVersion: 1 }) { version }",
    aNewAgent,
  ],
  "Query.contact": [ALLOWED.scopedKeysAndReaders, "(by: { id: $id }) { id }", aContact],
  "Query.contacts": [ALLOWED.scopedKeysAndReaders, ofAgents("nodes { id }"), agentForMembers],
  "Query.exportContact": [ALLOWED.scopedKeysAndManagersOfTheFirst, one("nodes { kind }"), aContact],
  "Mutation.putContact": [
    ALLOWED.scopedKeysAndWriters,
    byInput("created"),
    async (fixture, caller) => ({
      input: { ...(await agentForMembers(fixture, caller)), ref: uniqueName() },
    }),
  ],
  "Mutation.putContacts": [
    ALLOWED.scopedKeysAndWriters,
    byInput("results { created }"),
    async (fixture, caller) => ({
      input: { contacts: [{ ...(await agentForMembers(fixture, caller)), ref: uniqueName() }] },
    }),
  ],
  "Mutation.eraseContact": [ALLOWED.scopedKeysAndManagers, byId(), aContact],
  "Mutation.markAddressDeliverable": [
    ALLOWED.scopedKeysAndWriters,
    byId("id", ", addressId: $addressId"),
    async (fixture) => {
      const { id } = await aContactWithAddress(fixture);
      const address = await fixture.gateway.services.database.read((reader) =>
        reader.findOneByOrFail(ContactAddress, { contactId: id }),
      );
      return { id, addressId: address.id };
    },
  ],
  "Mutation.setConsent": [
    ALLOWED.scopedKeysAndWriters,
    byId("id", ', topic: "*", state: out'),
    aContactWithAddress,
  ],
  "Mutation.changeContactTags": [ALLOWED.scopedKeysAndWriters, byId("changed", ', add: ["vip"]'), aContact],
  "Mutation.createPet": [
    ALLOWED.scopedKeysAndManagersOfAny,
    '(input: { name: "Rex", categoryId: "1" }) { id }',
  ],
  "Mutation.sendMessage": [ALLOWED.keysWithAnotherScope, '(input: { text: "hello" }) { id }'],
  "Mutation.cancelMessage": [ALLOWED.scopedKeysAndWriters, byId(), aMessage],
  "Mutation.approveMessage": [ALLOWED.scopedKeysAndWriters, byId(), aProposedMessage],
  "Mutation.discardMessage": [ALLOWED.scopedKeysAndWriters, byId(), aProposedMessage],
  "Query.timers": [ALLOWED.scopedKeysAndReaders, ofAgents("nodes { id }"), agentForMembers],
  "Mutation.cancelTimer": [ALLOWED.scopedKeysAndWriters, byId(), aTimer],
  "Query.conversation": [ALLOWED.scopedKeysAndReaders, one(), aConversation],
  "Query.conversations": [ALLOWED.scopedKeysAndReaders, ofAgents("nodes { id }"), agentForMembers],
  "Query.conversationMessages": [ALLOWED.scopedKeysAndReaders, one("nodes { id }"), aConversation],
  "Mutation.openConversation": [
    ALLOWED.scopedKeysAndWriters,
    byInput("created"),
    async (fixture, caller) => ({
      input: {
        ...(await agentForMembers(fixture, caller)),
        contact: { id: (await aConversation(fixture)).contactId },
        text: "hello",
      },
    }),
  ],
  "Mutation.sendToConversation": [ALLOWED.scopedKeysAndWriters, byId("id", ', text: "hello"'), aConversation],
  "Mutation.moveConversation": [
    ALLOWED.scopedKeysAndWriters,
    byId("canceled", ', line: { name: "main" }'),
    aConversation,
  ],
  "Mutation.markConversationOpened": [ALLOWED.readers, byId(), aConversation],
  "Mutation.setHandoffNotices": [
    ALLOWED.readers,
    "(input: { agentId: $id, enabled: false }) { id }",
    ofAgent,
  ],
  "Mutation.assignConversation": [ALLOWED.scopedKeysAndWriters, byId(), aConversation],
  "Mutation.handOffConversation": [ALLOWED.scopedKeysAndWriters, byId("canceled"), aConversation],
  "Mutation.releaseConversation": [ALLOWED.scopedKeysAndWriters, byId("canceled"), aConversation],
  "Mutation.closeConversation": [ALLOWED.scopedKeysAndWriters, byId("canceled"), aConversation],
  "Query.decision": [ALLOWED.scopedKeysAndReaders, one(), aDecision],
  "Query.decisions": [ALLOWED.scopedKeysAndReaders, ofAgents("nodes { id }"), agentForMembers],
  "Query.replayDecision": [
    ALLOWED.scopedKeysAndManagersOfTheFirst,
    "(id: $id, against: { version: 1 }) { status }",
    aDecision,
  ],
  "Query.testFromDecision": [ALLOWED.scopedKeysAndReaders, one("test"), aDecision],
  "Query.runConfigurationTests": [
    orKeys(ALLOWED.scopedKeysAndManagersOfTheFirst),
    ofAgents("total"),
    agentForMembers,
  ],
  "Query.replayDecisions": [
    ALLOWED.scopedKeysAndManagersOfTheFirst,
    "(agentId: $agentId, against: { version: 1 }) { total }",
    agentForMembers,
  ],
  "Query.events": [ALLOWED.scopedKeysAndReaders, ofAgents("nodes { id }"), agentForMembers],
  "Subscription.events": [
    ALLOWED.scopedKeysAndReaders,
    '(agentId: $agentId, after: "0") { id }',
    agentForMembers,
  ],
  "Mutation.decide": [
    ALLOWED.scopedKeysAndManagers,
    byInput(),
    async (fixture, caller) => ({
      input: {
        ...(await agentForMembers(fixture, caller)),
        situation: { type: "in.the.matrix", data: {} },
      },
    }),
  ],
  "Mutation.createAgent": [
    orKeys(ALLOWED.managersOfOwn),
    byInput(),
    async () => ({ input: { slug: uniqueSlug(), name: "In the matrix" } }),
  ],
  "Mutation.renameAgent": [
    orKeys(ALLOWED.managersOfTheFirst),
    byId("id", ', name: "In the matrix"'),
    aNewAgent,
  ],
  "Mutation.deleteAgent": [orKeys(ALLOWED.managersOfTheFirst), byId(), aNewAgent],
  "Mutation.createApiKey": [
    orKeys(ALLOWED.managersOfTheFirst),
    byInput("apiKey { id }"),
    async ({ agentId }, caller) => ({
      input: {
        agentId,
        name: uniqueName(),
        ...(caller.startsWith("an organization") && { scopes: ["pets_read"] }),
      },
    }),
  ],
  "Mutation.createOrganizationKey": [
    orKeys(ALLOWED.managersOfOwn),
    byInput("apiKey { id }"),
    async () => ({
      input: { name: uniqueName(), scopes: ["members_read"], allowedNetworks: ["127.0.0.0/8"] },
    }),
  ],
  "Mutation.updateApiKey": [
    orKeys(ALLOWED.managersOfTheFirst),
    byInput(),
    async (fixture) => ({ input: { ...(await aKey(fixture)), description: "In the matrix" } }),
  ],
  "Mutation.revokeApiKey": [orKeys(ALLOWED.managersEvenWhileDeactivated), byId(), aKey],
  "Mutation.rotateApiKey": [orKeys(ALLOWED.managersOfTheFirst), byId("apiKey { id }"), aKey],
  "Mutation.connectApplication": [
    ALLOWED.managersOfTheFirst,
    byInput("redirectUrl"),
    async ({ gateway, agentId }) => ({
      input: { agentId, requestId: await storeConnectionRequest(gateway), scopes: ["agent_read"] },
    }),
  ],
  "Mutation.renameOrganization": [
    ALLOWED.managersOfOwn,
    "(input: { name: $name }) { id }",
    async () => ({ name: uniqueName() }),
  ],
  "Mutation.deactivateOrganization": [ALLOWED.managers, "{ id }"],
  "Mutation.reactivateOrganization": [ALLOWED.managers, "{ id }"],
  "Mutation.grantPermission": [
    ALLOWED.managersOfTheFirst,
    "(input: { memberId: $id, permission: conversations_read }) { id }",
    aMember,
  ],
  "Mutation.revokePermission": [
    ALLOWED.managersOfTheFirst,
    "(input: { memberId: $id, permission: config_manage }) { id }",
    aMember,
  ],
  "Mutation.changePermissions": [
    ALLOWED.managersOfTheFirst,
    "(input: { memberId: $id, grant: [conversations_read] }) { id }",
    aMember,
  ],
  "Mutation.signIn": [
    ALLOWED.anyone,
    byInput("expiresAt"),
    async ({ gateway }) => ({ input: gateway.ownerCredentials }),
  ],
  "Mutation.signInWithCookie": [
    ALLOWED.anyone,
    byInput("expiresAt"),
    async ({ gateway }) => ({ input: gateway.ownerCredentials }),
  ],
  "Mutation.signOut": [ALLOWED.members, "{ wasActive }"],
  "Mutation.signOutEverywhere": [ALLOWED.members, "{ endedSessions }"],
  "Mutation.changePassword": [
    ALLOWED.members,
    byInput(),
    async () => ({ input: { currentPassword: TEST_PASSWORD, newPassword: TEST_PASSWORD } }),
  ],
  "Mutation.removePassword": [
    ALLOWED.members,
    "{ id }",
    // Only members with a passkey can remove their password.
    async (fixture, caller) => {
      await ownPasskey(fixture, caller);
      return {};
    },
  ],
  "Mutation.confirmSignIn": [
    ALLOWED.members,
    byInput(),
    async () => ({ input: { password: TEST_PASSWORD } }),
  ],
  "Mutation.changeEmail": [
    ALLOWED.members,
    byInput(),
    async ({ memberOf }, caller) => ({
      // Unchanged, because the caller signs in with it later.
      input: { email: memberOf(caller)?.email ?? "nobody@example.com" },
    }),
  ],
  "Mutation.changeName": [ALLOWED.members, '(input: { name: "Ann" }) { id }'],
  "Mutation.endSession": [ALLOWED.managersAlone, byId(), aSession],
  "Mutation.startPasskeyRegistration": [ALLOWED.members, "{ options }"],
  "Mutation.addPasskey": [ALLOWED.members, byInput(), newPasskey],
  "Mutation.renamePasskey": [ALLOWED.members, byId("id", ', name: "x"'), ownPasskey],
  "Mutation.removePasskey": [ALLOWED.managersAlone, byId(), aPasskey],
  "Mutation.startPasskeySignIn": [ALLOWED.anyone, "(input: {}) { options }"],
  "Mutation.signInWithPasskey": [ALLOWED.anyone, byInput("expiresAt"), signature],
  "Mutation.signInWithPasskeyAndCookie": [ALLOWED.anyone, byInput("expiresAt"), signature],
  "Mutation.removeMember": [ALLOWED.managersOfTheFirst, byId(), aMember],
  "Mutation.unlinkIdentity": [ALLOWED.managersOfTheFirst, "(input: { memberId: $id }) { id }", aLinkedMember],
  "Mutation.inviteMember": [
    { ...ALLOWED.managersOfTheFirst, "a member of another organization": "ok" },
    byInput("mail"),
    async () => ({ input: { email: `${uniqueSlug()}@example.com`, permissions: [] } }),
  ],
  "Mutation.withdrawInvitation": [ALLOWED.managersOfTheFirst, byId(), anInvitation],
  "Mutation.acceptInvitation": [ALLOWED.anyone, byInput("expiresAt"), acceptance],
  "Mutation.acceptInvitationWithCookie": [ALLOWED.anyone, byInput("expiresAt"), acceptance],
};

export const FIELDS: Readonly<Record<string, Entry>> = Object.fromEntries(
  Object.entries(ROWS).map(([coordinate, [outcomes, call, variables]]) => [
    coordinate,
    { outcomes, document: documentOf(coordinate, call), ...(variables && { variables }) },
  ]),
);

interface RouteEntry extends Pick<Entry, "outcomes"> {
  operationId: string;
  method: string;
  /** `:id` stands for the ID in the variables. */
  path: string;
  /** The body, unless the variables contain another one. */
  body?: unknown;
  variables?: (fixture: AccessFixture) => Promise<{ id: string; body?: unknown }>;
}

/** Returns the outcomes of a route for organization keys. */
const organizationKeys = (others: Outcome): Outcomes => ({
  ...NO_KEY,
  ...NO_MEMBER,
  "an organization key": "ok",
  "an organization key with only members:read": "insufficient_scope",
  "an organization key of another organization": others,
});

/** Returns routes by operation ID that share what their rows do not say. */
const routes = (
  shared: Pick<RouteEntry, "outcomes" | "variables">,
  rows: Readonly<Record<string, [call: string, body?: unknown, variables?: RouteEntry["variables"]]>>,
): RouteEntry[] =>
  Object.entries(rows).map(([operationId, [call, body, variables = shared.variables]]) => {
    const [method = "", path = ""] = call.split(" ");
    const more = { ...(body !== undefined && { body }), ...(variables && { variables }) };
    return { operationId, method, path, outcomes: shared.outcomes, ...more };
  });

const { keysWithAnotherScope } = ALLOWED;

/** The REST routes; all require a key. */
export const ROUTES_TABLE: readonly RouteEntry[] = [
  ...routes({ outcomes: ALLOWED.agentKeys }, { listPets: ["GET /v1/pets"] }),
  ...routes(
    { outcomes: keysWithAnotherScope },
    { createPet: ["POST /v1/pets", { name: "Rex", categoryId: 1 }] },
  ),
  ...routes({ outcomes: ALLOWED.agentKeys }, { getPet: ["GET /v1/pets/1"] }),
  ...routes(
    { outcomes: { ...NO_KEY, ...NO_MEMBER, ...EVERY_ORGANIZATION_KEY_OK } },
    { listAgents: ["GET /organization/agents"] },
  ),
  ...routes({ outcomes: organizationKeys("ok") }, { listApiKeys: ["GET /organization/api-keys"] }),
  ...routes(
    { outcomes: organizationKeys("not_found"), variables: aNewAgent },
    {
      createApiKey: [
        "POST /organization/api-keys",
        undefined,
        async ({ agentId: id }) => ({
          id,
          body: { agentId: id, name: uniqueName(), scopes: ["pets:read"] },
        }),
      ],
      rotateApiKey: ["POST /organization/api-keys/:id/rotate", undefined, aKey],
      revokeApiKey: ["POST /organization/api-keys/:id/revoke", undefined, aKey],
      saveConfigurationDraft: [
        "PUT /organization/agents/:id/configuration/draft",
        { document: {}, expectedRevision: 0 },
      ],
      testConfiguration: ["POST /organization/agents/:id/configuration/tests", {}],
      publishConfiguration: [
        "POST /organization/agents/:id/configuration",
        { expectedLiveVersion: 1, fromVersion: 1 },
      ],
    },
  ),
  ...routes({ outcomes: organizationKeys("ok") }, { listAuditLog: ["GET /organization/audit-log"] }),
  ...routes({ outcomes: ALLOWED.everyKey }, { whoami: ["GET /agent/whoami"] }),
  ...routes(
    { outcomes: keysWithAnotherScope },
    {
      listLines: ["GET /agent/lines"],
      getConfiguration: ["GET /agent/configuration"],
      getConfigurationVersion: ["GET /agent/configuration/1"],
      runConfigurationTests: ["POST /agent/configuration/tests", {}],
    },
  ),
  ...routes(
    { outcomes: keysWithAnotherScope, variables: aContact },
    {
      putContact: ["POST /agent/contacts", { ref: "in the matrix" }],
      putContacts: ["POST /agent/contacts/batch", { contacts: [{ ref: "in the matrix" }] }],
      listContacts: ["GET /agent/contacts"],
      getContact: ["GET /agent/contacts/:id"],
      eraseContact: ["DELETE /agent/contacts/:id"],
      exportContact: ["GET /agent/contacts/:id/export"],
      listContactConsents: ["GET /agent/contacts/:id/consents"],
      setContactConsent: ["PUT /agent/contacts/:id/consents/*", { state: "out" }, aContactWithAddress],
      listContactTags: ["GET /agent/contacts/:id/tags"],
      changeContactTags: ["POST /agent/contacts/:id/tags", {}],
      addContactTag: ["PUT /agent/contacts/:id/tags/vip"],
      removeContactTag: ["DELETE /agent/contacts/:id/tags/vip"],
    },
  ),
  ...routes(
    { outcomes: keysWithAnotherScope },
    {
      sendMessage: ["POST /messages", { message: "hello" }],
      listMessages: ["GET /messages"],
      getMessage: ["GET /messages/:id", undefined, aMessage],
      cancelMessage: ["POST /messages/:id/cancel", undefined, aMessage],
      approveMessage: ["POST /messages/:id/approve", undefined, aProposedMessage],
      discardMessage: ["POST /messages/:id/discard", undefined, aProposedMessage],
      listTimers: ["GET /agent/timers", undefined, aTimer],
      cancelTimer: ["DELETE /agent/timers/:id", undefined, aTimer],
    },
  ),
  ...routes(
    {
      outcomes: keysWithAnotherScope,
      variables: async (fixture: AccessFixture) => {
        const { agentId, gateway } = fixture;
        const addresses = [{ kind: AddressKind.local, address: "in the matrix" }];
        await addContact(gateway, { agentId, ref: "in the matrix", addresses });
        return aConversation(fixture);
      },
    },
    {
      openConversation: ["POST /agent/conversations", { contact: { ref: "in the matrix" } }],
      listConversations: ["GET /agent/conversations"],
      getConversation: ["GET /agent/conversations/:id"],
      listConversationMessages: ["GET /agent/conversations/:id/messages"],
      sendToConversation: ["POST /agent/conversations/:id/messages", { message: "hello" }],
      moveConversation: ["POST /agent/conversations/:id/move", { line: "main" }],
      assignConversation: ["POST /agent/conversations/:id/assign"],
      handOffConversation: ["POST /agent/conversations/:id/handoff"],
      releaseConversation: ["POST /agent/conversations/:id/release"],
      closeConversation: ["POST /agent/conversations/:id/close"],
    },
  ),
  ...routes(
    { outcomes: keysWithAnotherScope },
    {
      decide: ["POST /agent/decisions", { situation: { type: "in.the.matrix", data: {} } }],
      listDecisions: ["GET /agent/decisions", undefined, aDecision],
      getDecision: ["GET /agent/decisions/:id", undefined, aDecision],
      replayDecision: ["POST /agent/decisions/:id/replay", { against: { version: 1 } }, aDecision],
      testFromDecision: ["GET /agent/decisions/:id/test", undefined, aDecision],
      listEvents: ["GET /agent/events", undefined, aDecision],
    },
  ),
];
