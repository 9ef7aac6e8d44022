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

const INACTIVE_KEYS = {
  "a revoked key": "key_revoked",
  "an expired key": "key_expired",
  "a key of a deactivated organization": "key_not_resolvable",
} as const;

const EVERY_MEMBER_OK = {
  "a member without permission": "ok",
  "a member with conversations:read": "ok",
  "a member with conversations:write": "ok",
  "a member with permission": "ok",
  "a member of a deactivated organization": "ok",
  "a member of another organization": "ok",
} as const;

const NO_MEMBER = {
  "a member without permission": "forbidden",
  "a member with conversations:read": "forbidden",
  "a member with conversations:write": "forbidden",
  "a member with permission": "forbidden",
  "a member of a deactivated organization": "forbidden",
  "a member of another organization": "forbidden",
} as const;

const NO_ORGANIZATION_KEY = {
  "an organization key": "forbidden",
  "an organization key with only members:read": "forbidden",
  "an organization key of another organization": "forbidden",
} as const;

const NO_KEY = {
  ...NO_ORGANIZATION_KEY,
  anonymous: "unauthenticated",
  "an agent key": "forbidden",
  "a key with only pets:read": "forbidden",
  ...INACTIVE_KEYS,
} as const;

const EVERY_KEY_OK = {
  ...NO_ORGANIZATION_KEY,
  anonymous: "unauthenticated",
  "an agent key": "ok",
  "a key with only pets:read": "ok",
  ...INACTIVE_KEYS,
  ...NO_MEMBER,
} as const;

const EVERY_ORGANIZATION_KEY_OK = {
  "an organization key": "ok",
  "an organization key with only members:read": "ok",
  "an organization key of another organization": "ok",
} as const;

/** Adds the outcomes of organization keys, which may do the same as managers. */
const andOrganizationKeys = (outcomes: Outcomes): Outcomes => ({
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
  keysWithAnotherScope: { ...EVERY_KEY_OK, "a key with only pets:read": "insufficient_scope" },
  /** A change to data that all organizations share. */
  keysWithAnotherScopeAndManagersOfAny: {
    ...EVERY_KEY_OK,
    "a key with only pets:read": "insufficient_scope",
    "a member with permission": "ok",
    "a member of a deactivated organization": "organization_deactivated",
    "a member of another organization": "ok",
  },
  members: { ...NO_KEY, ...EVERY_MEMBER_OK },
  membersAndOrganizationKeys: { ...NO_KEY, ...EVERY_MEMBER_OK, ...EVERY_ORGANIZATION_KEY_OK },
  managers: {
    ...NO_KEY,
    ...EVERY_MEMBER_OK,
    "a member without permission": "forbidden",
    "a member with conversations:read": "forbidden",
    "a member with conversations:write": "forbidden",
  },
  /** A change to the caller's own organization. */
  managersOfOwn: {
    ...NO_KEY,
    ...EVERY_MEMBER_OK,
    "a member without permission": "forbidden",
    "a member with conversations:read": "forbidden",
    "a member with conversations:write": "forbidden",
    "a member of a deactivated organization": "organization_deactivated",
  },
  /** A change to something in the first organization that no other organization can see. */
  managersOfTheFirst: {
    ...NO_KEY,
    "a member without permission": "forbidden",
    "a member with conversations:read": "forbidden",
    "a member with conversations:write": "forbidden",
    "a member with permission": "ok",
    "a member of a deactivated organization": "organization_deactivated",
    "a member of another organization": "not_found",
  },
  /**
   * A call that is allowed even while the caller's organization is deactivated. Members of all other organizations get
   * `not_found`.
   */
  managersEvenWhileDeactivated: {
    ...NO_KEY,
    "a member without permission": "forbidden",
    "a member with conversations:read": "forbidden",
    "a member with conversations:write": "forbidden",
    "a member with permission": "ok",
    "a member of a deactivated organization": "not_found",
    "a member of another organization": "not_found",
  },
  /** A read of data about an agent of the first organization. */
  keysWithAnotherScopeAndManagersOfTheFirst: {
    ...EVERY_KEY_OK,
    "a key with only pets:read": "insufficient_scope",
    "a member without permission": "forbidden",
    "a member with conversations:read": "forbidden",
    "a member with conversations:write": "forbidden",
    "a member with permission": "ok",
    "a member of a deactivated organization": "not_found",
    "a member of another organization": "not_found",
  },
  /** A read of the first agent's contacts; even managers need conversations:read. */
  keysWithAnotherScopeAndReaders: {
    ...EVERY_KEY_OK,
    "a key with only pets:read": "insufficient_scope",
    "a member with conversations:read": "ok",
  },
  readers: { ...NO_KEY, ...NO_MEMBER, "a member with conversations:read": "ok" },
  keysWithAnotherScopeAndWriters: {
    ...EVERY_KEY_OK,
    "a key with only pets:read": "insufficient_scope",
    "a member with conversations:write": "ok",
  },
  keysWithAnotherScopeAndManagers: {
    ...EVERY_KEY_OK,
    "a key with only pets:read": "insufficient_scope",
    "a member with permission": "ok",
    "a member of a deactivated organization": "organization_deactivated",
    "a member of another organization": "not_found",
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
  return { memberId: id };
};

/** Creates a passkey of a new member of the first organization. */
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

const aNewAgent = async ({ gateway }: AccessFixture) => {
  const agent = { slug: `agent-${uniqueSlug()}`, name: "Agent" };
  return { agentId: (await gateway.services.agents.create(await operator(gateway), agent)).id };
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

/** Creates a contact of the first agent. */
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

/** Every field of Query and Mutation; the test fails when one is missing. */
export const FIELDS: Readonly<Record<string, Entry>> = {
  "Query.whoami": { outcomes: ALLOWED.everyKey, document: "{ whoami { agent { id } } }" },
  "Query.pets": { outcomes: ALLOWED.agentKeysAndMembers, document: "{ pets { nodes { id } } }" },
  "Query.pet": { outcomes: ALLOWED.agentKeysAndMembers, document: '{ pet(id: "1") { id } }' },
  "Query.message": {
    outcomes: ALLOWED.keysWithAnotherScopeAndReaders,
    document: `{ message(id: "${UNKNOWN_ID}") { id } }`,
  },
  "Query.messages": {
    outcomes: ALLOWED.keysWithAnotherScopeAndReaders,
    document: "query ($agentId: ID) { messages(agentId: $agentId) { nodes { id } } }",
    variables: agentForMembers,
  },
  "Query.viewer": { outcomes: ALLOWED.anyone, document: "{ viewer { id organization { id } } }" },
  "Query.signInOptions": { outcomes: ALLOWED.anyone, document: "{ signInOptions { password issuerName } }" },
  "Query.members": { outcomes: ALLOWED.membersAndOrganizationKeys, document: "{ members { id } }" },
  "Query.sessions": { outcomes: ALLOWED.members, document: "{ sessions { id isCurrent } }" },
  "Query.passkeys": { outcomes: ALLOWED.members, document: "{ passkeys { id name } }" },
  "Query.invitations": { outcomes: ALLOWED.managers, document: "{ invitations { id } }" },
  "Query.invitation": {
    outcomes: ALLOWED.anyone,
    document: "query ($token: String!) { invitation(token: $token) { id } }",
    variables: anInvitation,
  },
  "Query.organization": {
    outcomes: ALLOWED.membersAndOrganizationKeys,
    document: "{ organization { id createdAt } }",
  },
  "Query.agents": { outcomes: ALLOWED.membersAndOrganizationKeys, document: "{ agents { id } }" },
  "Query.apiKeys": {
    outcomes: andOrganizationKeys(ALLOWED.managers),
    document: "{ apiKeys { nodes { id agent { id } } } }",
  },
  "Query.apiKey": {
    outcomes: andOrganizationKeys(ALLOWED.managers),
    document: "query ($id: ID!) { apiKey(id: $id) { id } }",
    variables: aKey,
  },
  "Query.connectionRequest": {
    outcomes: ALLOWED.managers,
    document: "query ($id: ID!) { connectionRequest(id: $id) { id } }",
    variables: async ({ gateway }) => ({ id: await storeConnectionRequest(gateway) }),
  },
  "Query.auditLog": {
    outcomes: andOrganizationKeys(ALLOWED.managers),
    document: "{ auditLog { nodes { id } } }",
  },
  "Query.firstSteps": { outcomes: ALLOWED.members, document: "{ firstSteps { keyMinted } }" },
  "Query.keyUsage": {
    outcomes: andOrganizationKeys(ALLOWED.managers),
    document: "{ keyUsage { accepted } }",
  },
  "Query.deprecatedUse": {
    outcomes: andOrganizationKeys(ALLOWED.managers),
    document: "{ deprecatedUse { nodes { uses } } }",
  },
  "Query.usageTotals": {
    outcomes: andOrganizationKeys(ALLOWED.managers),
    document: "{ usageTotals { accepted } }",
  },
  "Query.activity": { outcomes: ALLOWED.readers, document: "{ activity { decisions { count } } }" },
  "Query.agentSummaries": {
    outcomes: ALLOWED.managers,
    document: "{ agentSummaries { agentId activeKeys lines liveVersion lastDecisionAt } }",
  },
  "Query.lineActivity": {
    outcomes: andOrganizationKeys(ALLOWED.managersEvenWhileDeactivated),
    document: "query ($id: ID!) { lineActivity(lineId: $id) { queued { count isExact } held { count } } }",
    variables: async ({ gateway, agentId }) => ({ id: (await addLine(gateway, { agentId })).id }),
  },
  "Query.attention": {
    outcomes: ALLOWED.membersAndOrganizationKeys,
    document: "{ attention { kind count isCountExact since agent { id } line { id } } }",
  },
  "Query.lines": {
    outcomes: andOrganizationKeys(ALLOWED.keysWithAnotherScopeAndManagersOfTheFirst),
    document: "query ($agentId: ID) { lines(agentId: $agentId) { id } }",
    variables: agentForMembers,
  },
  "Mutation.createLine": {
    outcomes: andOrganizationKeys(ALLOWED.managersOfTheFirst),
    document: "mutation ($input: CreateLineInput!) { createLine(input: $input) { line { id } } }",
    variables: async ({ agentId }) => ({ input: { agentId, name: uniqueSlug() } }),
  },
  "Mutation.updateLine": {
    outcomes: andOrganizationKeys(ALLOWED.managersOfTheFirst),
    document: "mutation ($input: UpdateLineInput!) { updateLine(input: $input) { id } }",
    variables: async (fixture) => ({ input: { ...(await aLine(fixture)), name: uniqueSlug() } }),
  },
  "Mutation.testLine": {
    outcomes: andOrganizationKeys(ALLOWED.managersOfTheFirst),
    document: "mutation ($id: ID!) { testLine(input: { id: $id }) { outcome } }",
    variables: aLine,
  },
  "Mutation.rotateLineSecret": {
    outcomes: andOrganizationKeys(ALLOWED.managersOfTheFirst),
    document: "mutation ($id: ID!) { rotateLineSecret(input: { id: $id }) { line { id } } }",
    variables: async ({ gateway, agentId }) => ({ id: (await addWebhookLine(gateway, { agentId })).id }),
  },
  ...Object.fromEntries(
    ["pauseLine", "resumeLine", "archiveLine", "setDefaultLine"].map((field): [string, Entry] => [
      `Mutation.${field}`,
      {
        outcomes: andOrganizationKeys(ALLOWED.managersOfTheFirst),
        document: `mutation ($id: ID!) { ${field}(input: { id: $id }) { id } }`,
        variables: aLine,
      },
    ]),
  ),
  "Query.webhookEndpoints": {
    outcomes: andOrganizationKeys(ALLOWED.managers),
    document: "{ webhookEndpoints { id } }",
  },
  "Query.webhookEndpoint": {
    outcomes: andOrganizationKeys(ALLOWED.managers),
    document: "query ($id: ID!) { webhookEndpoint(id: $id) { id } }",
    variables: anEndpoint,
  },
  "Query.webhookDeliveries": {
    outcomes: andOrganizationKeys(ALLOWED.managersEvenWhileDeactivated),
    document: "query ($id: ID!) { webhookDeliveries(endpointId: $id) { nodes { id } } }",
    variables: anEndpoint,
  },
  "Query.find": { outcomes: ALLOWED.members, document: '{ find(text: "x") { id } }' },
  "Query.missedWebhookEvents": {
    outcomes: andOrganizationKeys(ALLOWED.managersEvenWhileDeactivated),
    document:
      "query ($id: ID!, $since: DateTimeISO!) { missedWebhookEvents(id: $id, from: { since: $since }) { count } }",
    variables: async (fixture) => ({ ...(await anEndpoint(fixture)), since: new Date() }),
  },
  "Mutation.createWebhookEndpoint": {
    outcomes: andOrganizationKeys(ALLOWED.managersOfTheFirst),
    document:
      "mutation ($input: CreateWebhookEndpointInput!) { createWebhookEndpoint(input: $input) { endpoint { id } } }",
    variables: async ({ agentId }) => ({ input: { agentId, url: PUBLIC_URL } }),
  },
  "Mutation.updateWebhookEndpoint": {
    outcomes: andOrganizationKeys(ALLOWED.managersOfTheFirst),
    document:
      "mutation ($input: UpdateWebhookEndpointInput!) { updateWebhookEndpoint(input: $input) { id } }",
    variables: async (fixture) => ({ input: { ...(await anEndpoint(fixture)), description: "x" } }),
  },
  "Mutation.rotateWebhookSecret": {
    outcomes: andOrganizationKeys(ALLOWED.managersOfTheFirst),
    document: "mutation ($id: ID!) { rotateWebhookSecret(input: { id: $id }) { endpoint { id } } }",
    variables: anEndpoint,
  },
  "Mutation.redeliver": {
    outcomes: andOrganizationKeys(ALLOWED.managersOfTheFirst),
    document:
      "mutation ($id: ID!, $since: DateTimeISO!) { redeliver(input: { id: $id, from: { since: $since } }) { id } }",
    variables: async (fixture) => ({ ...(await anEndpoint(fixture)), since: new Date() }),
  },
  "Mutation.resendWebhookDelivery": {
    outcomes: andOrganizationKeys(ALLOWED.managersOfTheFirst),
    document: "mutation ($id: ID!) { resendWebhookDelivery(input: { id: $id }) { id } }",
    variables: async (fixture) => ({
      id: await storeDelivery(fixture.gateway, await anEndpoint(fixture), fixture.agentId),
    }),
  },
  "Mutation.sendTestEvent": {
    outcomes: andOrganizationKeys(ALLOWED.managersOfTheFirst),
    document: "mutation ($id: ID!) { sendTestEvent(input: { id: $id }) { outcome } }",
    variables: async (fixture) => {
      const endpoint = await anEndpoint(fixture);
      // The gateway does not connect to this address, so the test needs no network.
      await fixture.gateway.services.database.write((tx) =>
        tx.query("update webhook_endpoint set url = 'http://127.0.0.1/' where id = $1", [endpoint.id]),
      );
      return endpoint;
    },
  },
  ...Object.fromEntries(
    ["deleteWebhookEndpoint", "enableWebhookEndpoint", "disableWebhookEndpoint"].map(
      (field): [string, Entry] => [
        `Mutation.${field}`,
        {
          outcomes: andOrganizationKeys(ALLOWED.managersOfTheFirst),
          document: `mutation ($id: ID!) { ${field}(input: { id: $id }) { id } }`,
          variables: anEndpoint,
        },
      ],
    ),
  ),
  "Query.configuration": {
    outcomes: andOrganizationKeys(ALLOWED.keysWithAnotherScopeAndManagersOfTheFirst),
    document: "query ($agentId: ID) { configuration(agentId: $agentId) { version } }",
    variables: agentForMembers,
  },
  "Query.configurationVersions": {
    outcomes: andOrganizationKeys(ALLOWED.managersEvenWhileDeactivated),
    document: "query ($agentId: ID!) { configurationVersions(agentId: $agentId) { nodes { version } } }",
    variables: async ({ agentId }) => ({ agentId }),
  },
  "Query.configurationDraft": {
    outcomes: andOrganizationKeys(ALLOWED.managersEvenWhileDeactivated),
    document: "query ($agentId: ID!) { configurationDraft(agentId: $agentId) { revision } }",
    variables: async ({ agentId }) => ({ agentId }),
  },
  "Query.checkConfiguration": {
    outcomes: andOrganizationKeys(ALLOWED.managers),
    document: "{ checkConfiguration(document: {}) { problems { path } } }",
  },
  "Mutation.saveConfigurationDraft": {
    outcomes: andOrganizationKeys(ALLOWED.managersOfTheFirst),
    document: `mutation ($agentId: ID!) {
      saveConfigurationDraft(input: { agentId: $agentId, document: {}, expectedRevision: 0 }) { draft { revision } }
    }`,
    variables: aNewAgent,
  },
  "Mutation.publishConfiguration": {
    outcomes: andOrganizationKeys(ALLOWED.managersOfTheFirst),
    document: `mutation ($agentId: ID!) {
      publishConfiguration(input: { agentId: $agentId, expectedLiveVersion: 1, fromVersion: 1 }) { version }
    }`,
    variables: aNewAgent,
  },
  "Query.contact": {
    outcomes: ALLOWED.keysWithAnotherScopeAndReaders,
    document: "query ($id: ID!) { contact(by: { id: $id }) { id } }",
    variables: aContact,
  },
  "Query.contacts": {
    outcomes: ALLOWED.keysWithAnotherScopeAndReaders,
    document: "query ($agentId: ID) { contacts(agentId: $agentId) { nodes { id } } }",
    variables: agentForMembers,
  },
  "Query.exportContact": {
    outcomes: ALLOWED.keysWithAnotherScopeAndManagersOfTheFirst,
    document: "query ($id: ID!) { exportContact(id: $id) { nodes { kind } } }",
    variables: aContact,
  },
  "Mutation.putContact": {
    outcomes: ALLOWED.keysWithAnotherScopeAndWriters,
    document: "mutation ($input: PutContactInput!) { putContact(input: $input) { created } }",
    variables: async (fixture, caller) => ({
      input: { ...(await agentForMembers(fixture, caller)), ref: uniqueName() },
    }),
  },
  "Mutation.putContacts": {
    outcomes: ALLOWED.keysWithAnotherScopeAndWriters,
    document: "mutation ($input: PutContactsInput!) { putContacts(input: $input) { results { created } } }",
    variables: async (fixture, caller) => ({
      input: { contacts: [{ ...(await agentForMembers(fixture, caller)), ref: uniqueName() }] },
    }),
  },
  "Mutation.eraseContact": {
    outcomes: ALLOWED.keysWithAnotherScopeAndManagers,
    document: "mutation ($id: ID!) { eraseContact(input: { id: $id }) { id } }",
    variables: aContact,
  },
  "Mutation.markAddressDeliverable": {
    outcomes: ALLOWED.keysWithAnotherScopeAndWriters,
    document: `mutation ($id: ID!, $addressId: ID!) {
      markAddressDeliverable(input: { id: $id, addressId: $addressId }) { id }
    }`,
    variables: async (fixture) => {
      const { id } = await aContactWithAddress(fixture);
      const address = await fixture.gateway.services.database.read((reader) =>
        reader.findOneByOrFail(ContactAddress, { contactId: id }),
      );
      return { id, addressId: address.id };
    },
  },
  "Mutation.setConsent": {
    outcomes: ALLOWED.keysWithAnotherScopeAndWriters,
    document: `mutation ($id: ID!) { setConsent(input: { id: $id, topic: "*", state: out }) { id } }`,
    variables: aContactWithAddress,
  },
  "Mutation.changeContactTags": {
    outcomes: ALLOWED.keysWithAnotherScopeAndWriters,
    document: 'mutation ($id: ID!) { changeContactTags(input: { id: $id, add: ["vip"] }) { changed } }',
    variables: aContact,
  },
  "Mutation.createPet": {
    outcomes: ALLOWED.keysWithAnotherScopeAndManagersOfAny,
    document: 'mutation { createPet(input: { name: "Rex", categoryId: "1" }) { id } }',
  },
  "Mutation.sendMessage": {
    outcomes: ALLOWED.keysWithAnotherScope,
    document: 'mutation { sendMessage(input: { text: "hello" }) { id } }',
  },
  "Mutation.cancelMessage": {
    outcomes: ALLOWED.keysWithAnotherScopeAndWriters,
    document: "mutation ($id: ID!) { cancelMessage(input: { id: $id }) { id } }",
    variables: aMessage,
  },
  "Mutation.approveMessage": {
    outcomes: ALLOWED.keysWithAnotherScopeAndWriters,
    document: "mutation ($id: ID!) { approveMessage(input: { id: $id }) { id } }",
    variables: aProposedMessage,
  },
  "Mutation.discardMessage": {
    outcomes: ALLOWED.keysWithAnotherScopeAndWriters,
    document: "mutation ($id: ID!) { discardMessage(input: { id: $id }) { id } }",
    variables: aProposedMessage,
  },
  "Query.timers": {
    outcomes: ALLOWED.keysWithAnotherScopeAndReaders,
    document: "query ($agentId: ID) { timers(agentId: $agentId) { nodes { id } } }",
    variables: agentForMembers,
  },
  "Mutation.cancelTimer": {
    outcomes: ALLOWED.keysWithAnotherScopeAndWriters,
    document: "mutation ($id: ID!) { cancelTimer(input: { id: $id }) { id } }",
    variables: aTimer,
  },
  "Query.conversation": {
    outcomes: ALLOWED.keysWithAnotherScopeAndReaders,
    document: "query ($id: ID!) { conversation(id: $id) { id } }",
    variables: aConversation,
  },
  "Query.conversations": {
    outcomes: ALLOWED.keysWithAnotherScopeAndReaders,
    document: "query ($agentId: ID) { conversations(agentId: $agentId) { nodes { id } } }",
    variables: agentForMembers,
  },
  "Query.conversationMessages": {
    outcomes: ALLOWED.keysWithAnotherScopeAndReaders,
    document: "query ($id: ID!) { conversationMessages(id: $id) { nodes { id } } }",
    variables: aConversation,
  },
  "Mutation.openConversation": {
    outcomes: ALLOWED.keysWithAnotherScopeAndWriters,
    document: "mutation ($input: OpenConversationInput!) { openConversation(input: $input) { created } }",
    variables: async (fixture, caller) => ({
      input: {
        ...(await agentForMembers(fixture, caller)),
        contact: { id: (await aConversation(fixture)).contactId },
        text: "hello",
      },
    }),
  },
  "Mutation.sendToConversation": {
    outcomes: ALLOWED.keysWithAnotherScopeAndWriters,
    document: 'mutation ($id: ID!) { sendToConversation(input: { id: $id, text: "hello" }) { id } }',
    variables: aConversation,
  },
  "Mutation.moveConversation": {
    outcomes: ALLOWED.keysWithAnotherScopeAndWriters,
    document:
      'mutation ($id: ID!) { moveConversation(input: { id: $id, line: { name: "main" } }) { canceled } }',
    variables: aConversation,
  },
  "Mutation.markConversationOpened": {
    outcomes: ALLOWED.readers,
    document: "mutation ($id: ID!) { markConversationOpened(input: { id: $id }) { id } }",
    variables: aConversation,
  },
  "Mutation.setHandoffNotices": {
    outcomes: ALLOWED.readers,
    document:
      "mutation ($agentId: ID!) { setHandoffNotices(input: { agentId: $agentId, enabled: false }) { id } }",
    variables: async ({ agentId }) => ({ agentId }),
  },
  "Mutation.assignConversation": {
    outcomes: ALLOWED.keysWithAnotherScopeAndWriters,
    document: "mutation ($id: ID!) { assignConversation(input: { id: $id }) { id } }",
    variables: aConversation,
  },
  ...Object.fromEntries(
    ["handOffConversation", "releaseConversation", "closeConversation"].map((field): [string, Entry] => [
      `Mutation.${field}`,
      {
        outcomes: ALLOWED.keysWithAnotherScopeAndWriters,
        document: `mutation ($id: ID!) { ${field}(input: { id: $id }) { canceled } }`,
        variables: aConversation,
      },
    ]),
  ),
  "Query.decision": {
    outcomes: ALLOWED.keysWithAnotherScopeAndReaders,
    document: "query ($id: ID!) { decision(id: $id) { id } }",
    variables: aDecision,
  },
  "Query.decisions": {
    outcomes: ALLOWED.keysWithAnotherScopeAndReaders,
    document: "query ($agentId: ID) { decisions(agentId: $agentId) { nodes { id } } }",
    variables: agentForMembers,
  },
  "Query.replayDecision": {
    outcomes: ALLOWED.keysWithAnotherScopeAndManagersOfTheFirst,
    document: "query ($id: ID!) { replayDecision(id: $id, against: { version: 1 }) { status } }",
    variables: aDecision,
  },
  "Query.testFromDecision": {
    outcomes: ALLOWED.keysWithAnotherScopeAndReaders,
    document: "query ($id: ID!) { testFromDecision(id: $id) { test } }",
    variables: aDecision,
  },
  "Query.runConfigurationTests": {
    outcomes: andOrganizationKeys(ALLOWED.keysWithAnotherScopeAndManagersOfTheFirst),
    document: "query ($agentId: ID) { runConfigurationTests(agentId: $agentId) { total } }",
    variables: agentForMembers,
  },
  "Query.replayDecisions": {
    outcomes: ALLOWED.keysWithAnotherScopeAndManagersOfTheFirst,
    document:
      "query ($agentId: ID) { replayDecisions(agentId: $agentId, against: { version: 1 }) { total } }",
    variables: agentForMembers,
  },
  "Query.events": {
    outcomes: ALLOWED.keysWithAnotherScopeAndReaders,
    document: "query ($agentId: ID) { events(agentId: $agentId) { nodes { id } } }",
    variables: agentForMembers,
  },
  "Subscription.events": {
    outcomes: ALLOWED.keysWithAnotherScopeAndReaders,
    document: 'subscription ($agentId: ID) { events(agentId: $agentId, after: "0") { id } }',
    variables: agentForMembers,
  },
  "Mutation.decide": {
    outcomes: ALLOWED.keysWithAnotherScopeAndManagers,
    document: "mutation ($input: DecideInput!) { decide(input: $input) { id } }",
    variables: async (fixture, caller) => ({
      input: {
        ...(await agentForMembers(fixture, caller)),
        situation: { type: "in.the.matrix", data: {} },
      },
    }),
  },
  "Mutation.createAgent": {
    outcomes: andOrganizationKeys(ALLOWED.managersOfOwn),
    document: "mutation ($input: CreateAgentInput!) { createAgent(input: $input) { id } }",
    variables: async () => ({ input: { slug: uniqueSlug(), name: "In the matrix" } }),
  },
  "Mutation.renameAgent": {
    outcomes: andOrganizationKeys(ALLOWED.managersOfTheFirst),
    document:
      'mutation ($agentId: ID!) { renameAgent(input: { id: $agentId, name: "In the matrix" }) { id } }',
    variables: aNewAgent,
  },
  "Mutation.deleteAgent": {
    outcomes: andOrganizationKeys(ALLOWED.managersOfTheFirst),
    document: "mutation ($agentId: ID!) { deleteAgent(input: { id: $agentId }) { id } }",
    variables: aNewAgent,
  },
  "Mutation.createApiKey": {
    outcomes: andOrganizationKeys(ALLOWED.managersOfTheFirst),
    document: "mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { apiKey { id } } }",
    variables: async ({ agentId }, caller) => ({
      input: {
        agentId,
        name: uniqueName(),
        ...(caller.startsWith("an organization") && { scopes: ["pets_read"] }),
      },
    }),
  },
  "Mutation.createOrganizationKey": {
    outcomes: andOrganizationKeys(ALLOWED.managersOfOwn),
    document:
      "mutation ($input: CreateOrganizationKeyInput!) { createOrganizationKey(input: $input) { apiKey { id } } }",
    variables: async () => ({
      input: { name: uniqueName(), scopes: ["members_read"], allowedNetworks: ["127.0.0.0/8"] },
    }),
  },
  "Mutation.updateApiKey": {
    outcomes: andOrganizationKeys(ALLOWED.managersOfTheFirst),
    document: "mutation ($input: UpdateApiKeyInput!) { updateApiKey(input: $input) { id } }",
    variables: async (fixture) => ({ input: { ...(await aKey(fixture)), description: "In the matrix" } }),
  },
  "Mutation.revokeApiKey": {
    outcomes: andOrganizationKeys(ALLOWED.managersEvenWhileDeactivated),
    document: "mutation ($id: ID!) { revokeApiKey(input: { id: $id }) { id } }",
    variables: aKey,
  },
  "Mutation.rotateApiKey": {
    outcomes: andOrganizationKeys(ALLOWED.managersOfTheFirst),
    document: "mutation ($id: ID!) { rotateApiKey(input: { id: $id }) { apiKey { id } } }",
    variables: aKey,
  },
  "Mutation.connectApplication": {
    outcomes: ALLOWED.managersOfTheFirst,
    document:
      "mutation ($input: ConnectApplicationInput!) { connectApplication(input: $input) { redirectUrl } }",
    variables: async ({ gateway, agentId }) => ({
      input: { agentId, requestId: await storeConnectionRequest(gateway), scopes: ["agent_read"] },
    }),
  },
  "Mutation.renameOrganization": {
    outcomes: ALLOWED.managersOfOwn,
    document: "mutation ($name: String!) { renameOrganization(input: { name: $name }) { id } }",
    variables: async () => ({ name: uniqueName() }),
  },
  "Mutation.deactivateOrganization": {
    outcomes: ALLOWED.managers,
    document: "mutation { deactivateOrganization { id } }",
  },
  "Mutation.reactivateOrganization": {
    outcomes: ALLOWED.managers,
    document: "mutation { reactivateOrganization { id } }",
  },
  "Mutation.grantPermission": {
    outcomes: ALLOWED.managersOfTheFirst,
    document:
      "mutation ($id: ID!) { grantPermission(input: { memberId: $id, permission: conversations_read }) { id } }",
    variables: aMember,
  },
  "Mutation.revokePermission": {
    outcomes: ALLOWED.managersOfTheFirst,
    document:
      "mutation ($id: ID!) { revokePermission(input: { memberId: $id, permission: config_manage }) { id } }",
    variables: aMember,
  },
  "Mutation.changePermissions": {
    outcomes: ALLOWED.managersOfTheFirst,
    document:
      "mutation ($id: ID!) { changePermissions(input: { memberId: $id, grant: [conversations_read] }) { id } }",
    variables: aMember,
  },
  "Mutation.signIn": {
    outcomes: ALLOWED.anyone,
    document: "mutation ($input: SignInInput!) { signIn(input: $input) { expiresAt } }",
    variables: async ({ gateway }) => ({ input: gateway.ownerCredentials }),
  },
  "Mutation.signInWithCookie": {
    outcomes: ALLOWED.anyone,
    document: "mutation ($input: SignInWithCookieInput!) { signInWithCookie(input: $input) { expiresAt } }",
    variables: async ({ gateway }) => ({ input: gateway.ownerCredentials }),
  },
  "Mutation.signOut": { outcomes: ALLOWED.members, document: "mutation { signOut { wasActive } }" },
  "Mutation.signOutEverywhere": {
    outcomes: ALLOWED.members,
    document: "mutation { signOutEverywhere { endedSessions } }",
  },
  "Mutation.changePassword": {
    outcomes: ALLOWED.members,
    document: "mutation ($input: ChangePasswordInput!) { changePassword(input: $input) { id } }",
    variables: async () => ({ input: { currentPassword: TEST_PASSWORD, newPassword: TEST_PASSWORD } }),
  },
  "Mutation.removePassword": {
    outcomes: ALLOWED.members,
    document: "mutation { removePassword { id } }",
    // Only members with a passkey can remove their password.
    variables: async (fixture, caller) => {
      await ownPasskey(fixture, caller);
      return {};
    },
  },
  "Mutation.confirmSignIn": {
    outcomes: ALLOWED.members,
    document: "mutation ($input: ConfirmSignInInput!) { confirmSignIn(input: $input) { id } }",
    variables: async () => ({ input: { password: TEST_PASSWORD } }),
  },
  "Mutation.changeEmail": {
    outcomes: ALLOWED.members,
    document: "mutation ($input: ChangeEmailInput!) { changeEmail(input: $input) { id } }",
    variables: async ({ memberOf }, caller) => ({
      // Unchanged, because the caller signs in with it later.
      input: { email: memberOf(caller)?.email ?? "nobody@example.com" },
    }),
  },
  "Mutation.changeName": {
    outcomes: ALLOWED.members,
    document: 'mutation { changeName(input: { name: "Ann" }) { id } }',
  },
  "Mutation.endSession": {
    outcomes: {
      ...NO_KEY,
      "a member without permission": "not_found",
      "a member with conversations:read": "not_found",
      "a member with conversations:write": "not_found",
      "a member with permission": "ok",
      "a member of a deactivated organization": "not_found",
      "a member of another organization": "not_found",
    },
    document: "mutation ($id: ID!) { endSession(input: { id: $id }) { id } }",
    variables: aSession,
  },
  "Mutation.startPasskeyRegistration": {
    outcomes: ALLOWED.members,
    document: "mutation { startPasskeyRegistration { options } }",
  },
  "Mutation.addPasskey": {
    outcomes: ALLOWED.members,
    document: "mutation ($input: AddPasskeyInput!) { addPasskey(input: $input) { id } }",
    variables: newPasskey,
  },
  "Mutation.renamePasskey": {
    outcomes: ALLOWED.members,
    document: 'mutation ($id: ID!) { renamePasskey(input: { id: $id, name: "x" }) { id } }',
    variables: ownPasskey,
  },
  "Mutation.removePasskey": {
    outcomes: {
      ...NO_KEY,
      "a member without permission": "not_found",
      "a member with conversations:read": "not_found",
      "a member with conversations:write": "not_found",
      "a member with permission": "ok",
      "a member of a deactivated organization": "not_found",
      "a member of another organization": "not_found",
    },
    document: "mutation ($id: ID!) { removePasskey(input: { id: $id }) { id } }",
    variables: aPasskey,
  },
  "Mutation.startPasskeySignIn": {
    outcomes: ALLOWED.anyone,
    document: "mutation { startPasskeySignIn(input: {}) { options } }",
  },
  "Mutation.signInWithPasskey": {
    outcomes: ALLOWED.anyone,
    document: "mutation ($input: SignInWithPasskeyInput!) { signInWithPasskey(input: $input) { expiresAt } }",
    variables: signature,
  },
  "Mutation.signInWithPasskeyAndCookie": {
    outcomes: ALLOWED.anyone,
    document:
      "mutation ($input: SignInWithPasskeyAndCookieInput!) { signInWithPasskeyAndCookie(input: $input) { expiresAt } }",
    variables: signature,
  },
  "Mutation.removeMember": {
    outcomes: ALLOWED.managersOfTheFirst,
    document: "mutation ($id: ID!) { removeMember(input: { id: $id }) { id } }",
    variables: aMember,
  },
  "Mutation.unlinkIdentity": {
    outcomes: ALLOWED.managersOfTheFirst,
    document: "mutation ($memberId: ID!) { unlinkIdentity(input: { memberId: $memberId }) { id } }",
    variables: aLinkedMember,
  },
  "Mutation.inviteMember": {
    outcomes: { ...ALLOWED.managersOfTheFirst, "a member of another organization": "ok" },
    document: "mutation ($input: InviteMemberInput!) { inviteMember(input: $input) { mail } }",
    variables: async () => ({ input: { email: `${uniqueSlug()}@example.com`, permissions: [] } }),
  },
  "Mutation.withdrawInvitation": {
    outcomes: ALLOWED.managersOfTheFirst,
    document: "mutation ($id: ID!) { withdrawInvitation(input: { id: $id }) { id } }",
    variables: anInvitation,
  },
  "Mutation.acceptInvitation": {
    outcomes: ALLOWED.anyone,
    document: "mutation ($input: AcceptInvitationInput!) { acceptInvitation(input: $input) { expiresAt } }",
    variables: async (fixture) => ({
      input: { token: (await anInvitation(fixture)).token, password: TEST_PASSWORD },
    }),
  },
  "Mutation.acceptInvitationWithCookie": {
    outcomes: ALLOWED.anyone,
    document:
      "mutation ($input: AcceptInvitationWithCookieInput!) { acceptInvitationWithCookie(input: $input) { expiresAt } }",
    variables: async (fixture) => ({
      input: { token: (await anInvitation(fixture)).token, password: TEST_PASSWORD },
    }),
  },
};

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

const ofNewAgent = async (fixture: AccessFixture) => ({ id: (await aNewAgent(fixture)).agentId });

/** The REST routes; all require a key. */
export const ROUTES_TABLE: readonly RouteEntry[] = [
  { operationId: "listPets", method: "GET", path: "/v1/pets" },
  {
    operationId: "createPet",
    method: "POST",
    path: "/v1/pets",
    body: { name: "Rex", categoryId: 1 },
    outcomes: ALLOWED.keysWithAnotherScope,
  },
  { operationId: "getPet", method: "GET", path: "/v1/pets/1" },
  {
    operationId: "listAgents",
    method: "GET",
    path: "/organization/agents",
    outcomes: { ...NO_KEY, ...NO_MEMBER, ...EVERY_ORGANIZATION_KEY_OK },
  },
  {
    operationId: "listApiKeys",
    method: "GET",
    path: "/organization/api-keys",
    outcomes: organizationKeys("ok"),
  },
  ...[
    {
      operationId: "createApiKey",
      path: "/organization/api-keys",
      variables: async ({ agentId: id }: AccessFixture) => ({
        id,
        body: { agentId: id, name: uniqueName(), scopes: ["pets:read"] },
      }),
    },
    { operationId: "rotateApiKey", path: "/organization/api-keys/:id/rotate", variables: aKey },
    { operationId: "revokeApiKey", path: "/organization/api-keys/:id/revoke", variables: aKey },
    {
      operationId: "saveConfigurationDraft",
      method: "PUT",
      path: "/organization/agents/:id/configuration/draft",
      body: { document: {}, expectedRevision: 0 },
      variables: ofNewAgent,
    },
    {
      operationId: "testConfiguration",
      path: "/organization/agents/:id/configuration/tests",
      body: {},
      variables: ofNewAgent,
    },
    {
      operationId: "publishConfiguration",
      path: "/organization/agents/:id/configuration",
      body: { expectedLiveVersion: 1, fromVersion: 1 },
      variables: ofNewAgent,
    },
  ].map((route) => ({ method: "POST", outcomes: organizationKeys("not_found"), ...route })),
  {
    operationId: "listAuditLog",
    method: "GET",
    path: "/organization/audit-log",
    outcomes: organizationKeys("ok"),
  },
  { operationId: "whoami", method: "GET", path: "/agent/whoami", outcomes: ALLOWED.everyKey },
  {
    operationId: "listLines",
    method: "GET",
    path: "/agent/lines",
    outcomes: ALLOWED.keysWithAnotherScope,
  },
  {
    operationId: "getConfiguration",
    method: "GET",
    path: "/agent/configuration",
    outcomes: ALLOWED.keysWithAnotherScope,
  },
  {
    operationId: "getConfigurationVersion",
    method: "GET",
    path: "/agent/configuration/1",
    outcomes: ALLOWED.keysWithAnotherScope,
  },
  {
    operationId: "runConfigurationTests",
    method: "POST",
    path: "/agent/configuration/tests",
    body: {},
    outcomes: ALLOWED.keysWithAnotherScope,
  },
  ...[
    { operationId: "putContact", method: "POST", path: "/agent/contacts", body: { ref: "in the matrix" } },
    {
      operationId: "putContacts",
      method: "POST",
      path: "/agent/contacts/batch",
      body: { contacts: [{ ref: "in the matrix" }] },
    },
    { operationId: "listContacts", method: "GET", path: "/agent/contacts" },
    { operationId: "getContact", method: "GET", path: "/agent/contacts/:id" },
    { operationId: "eraseContact", method: "DELETE", path: "/agent/contacts/:id" },
    { operationId: "exportContact", method: "GET", path: "/agent/contacts/:id/export" },
    { operationId: "listContactConsents", method: "GET", path: "/agent/contacts/:id/consents" },
    {
      operationId: "setContactConsent",
      method: "PUT",
      path: "/agent/contacts/:id/consents/*",
      body: { state: "out" },
      variables: aContactWithAddress,
    },
    { operationId: "listContactTags", method: "GET", path: "/agent/contacts/:id/tags" },
    { operationId: "changeContactTags", method: "POST", path: "/agent/contacts/:id/tags", body: {} },
    { operationId: "addContactTag", method: "PUT", path: "/agent/contacts/:id/tags/vip" },
    { operationId: "removeContactTag", method: "DELETE", path: "/agent/contacts/:id/tags/vip" },
  ].map((route) => ({ outcomes: ALLOWED.keysWithAnotherScope, variables: aContact, ...route })),
  {
    operationId: "sendMessage",
    method: "POST",
    path: "/messages",
    body: { message: "hello" },
    outcomes: ALLOWED.keysWithAnotherScope,
  },
  {
    operationId: "listMessages",
    method: "GET",
    path: "/messages",
    outcomes: ALLOWED.keysWithAnotherScope,
  },
  ...[
    { operationId: "getMessage", method: "GET", path: "/messages/:id" },
    { operationId: "cancelMessage", method: "POST", path: "/messages/:id/cancel" },
  ].map((route) => ({ ...route, outcomes: ALLOWED.keysWithAnotherScope, variables: aMessage })),
  ...[
    { operationId: "approveMessage", method: "POST", path: "/messages/:id/approve" },
    { operationId: "discardMessage", method: "POST", path: "/messages/:id/discard" },
  ].map((route) => ({ ...route, outcomes: ALLOWED.keysWithAnotherScope, variables: aProposedMessage })),
  ...[
    { operationId: "listTimers", method: "GET", path: "/agent/timers" },
    { operationId: "cancelTimer", method: "DELETE", path: "/agent/timers/:id" },
  ].map((route) => ({ ...route, outcomes: ALLOWED.keysWithAnotherScope, variables: aTimer })),
  ...[
    {
      operationId: "openConversation",
      method: "POST",
      path: "/agent/conversations",
      body: { contact: { ref: "in the matrix" } },
    },
    { operationId: "listConversations", method: "GET", path: "/agent/conversations" },
    { operationId: "getConversation", method: "GET", path: "/agent/conversations/:id" },
    { operationId: "listConversationMessages", method: "GET", path: "/agent/conversations/:id/messages" },
    {
      operationId: "sendToConversation",
      method: "POST",
      path: "/agent/conversations/:id/messages",
      body: { message: "hello" },
    },
    {
      operationId: "moveConversation",
      method: "POST",
      path: "/agent/conversations/:id/move",
      body: { line: "main" },
    },
    ...(["assign", "handOff", "release", "close"] as const).map((verb) => ({
      operationId: `${verb}Conversation`,
      method: "POST",
      path: `/agent/conversations/:id/${verb.toLowerCase()}`,
    })),
  ].map((route) => ({
    ...route,
    outcomes: ALLOWED.keysWithAnotherScope,
    variables: async (fixture: AccessFixture) => {
      const { agentId, gateway } = fixture;
      const addresses = [{ kind: AddressKind.local, address: "in the matrix" }];
      await addContact(gateway, { agentId, ref: "in the matrix", addresses });
      return aConversation(fixture);
    },
  })),
  {
    operationId: "decide",
    method: "POST",
    path: "/agent/decisions",
    body: { situation: { type: "in.the.matrix", data: {} } },
    outcomes: ALLOWED.keysWithAnotherScope,
  },
  ...[
    { operationId: "listDecisions", method: "GET", path: "/agent/decisions" },
    { operationId: "getDecision", method: "GET", path: "/agent/decisions/:id" },
    {
      operationId: "replayDecision",
      method: "POST",
      path: "/agent/decisions/:id/replay",
      body: { against: { version: 1 } },
    },
    { operationId: "testFromDecision", method: "GET", path: "/agent/decisions/:id/test" },
    { operationId: "listEvents", method: "GET", path: "/agent/events" },
  ].map((route) => ({ ...route, outcomes: ALLOWED.keysWithAnotherScope, variables: aDecision })),
].map((route) => ({ outcomes: ALLOWED.agentKeys, ...route }));
