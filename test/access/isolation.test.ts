import { Permission } from "../../src/auth/permissions";
import { createSchema } from "../../src/graphql/schema";
import { addContact } from "../support/contacts";
import { addConversation } from "../support/conversations";
import { TRANSPORTS } from "../support/followers";
import { mint, mintForOrganization, operator } from "../support/gateway";
import { outcomeOf } from "../support/keys";
import { addWebhookLine, PUBLIC_URL } from "../support/lines";
import { addPasskey, PASSKEY_ORIGIN, storePasskey } from "../support/passkeys";
import { addMember, addOrganization, codeOf, invite, openSession, type TestMember } from "../support/people";
import { describeGateway } from "../support/suite";
import { addTimer } from "../support/timers";
import { FOLLOW, outcomeBySocket } from "../support/web-socket";
import { storeDelivery } from "../support/webhooks";
import { byId, documentOf } from "./table";

/** Fields that neither take an ID nor return anything that belongs to an organization. */
const OF_NOBODY = `
  Query.pets Query.pet Mutation.createPet Mutation.sendMessage Mutation.signIn
  Mutation.signInWithCookie Mutation.startPasskeySignIn Mutation.signInWithPasskey
  Mutation.signInWithPasskeyAndCookie Query.invitation Query.signInOptions
  Mutation.acceptInvitation Mutation.acceptInvitationWithCookie Mutation.inviteMember
  Query.connectionRequest
`;

/** Changes to something that `$id` identifies, each with the rest of its call. */
const CHANGES: Readonly<Record<string, string>> = {
  renameAgent: byId("id", ', name: "intruder"'),
  deleteAgent: byId(),
  createApiKey: '(input: { agentId: $id, name: "intruder" }) { secret }',
  updateApiKey: byId("id", ", allowedNetworks: null"),
  revokeApiKey: byId(),
  rotateApiKey: byId("secret"),
  connectApplication: '(input: { requestId: "x", agentId: $id, scopes: agent_read }) { redirectUrl }',
  grantPermission: "(input: { memberId: $id, permission: conversations_read }) { id }",
  revokePermission: "(input: { memberId: $id, permission: config_manage }) { id }",
  changePermissions: "(input: { memberId: $id, revoke: [config_manage] }) { id }",
  removeMember: byId(),
  endSession: byId(),
  renamePasskey: byId("id", ', name: "intruder"'),
  removePasskey: byId(),
  unlinkIdentity: "(input: { memberId: $id }) { id }",
  withdrawInvitation: byId(),
  createLine: '(input: { agentId: $id, name: "intruder" }) { line { id } }',
  updateLine: byId("id", ', name: "intruder"'),
  testLine: byId("outcome"),
  rotateLineSecret: byId("line { id }"),
  pauseLine: byId(),
  resumeLine: byId(),
  archiveLine: byId(),
  setDefaultLine: byId(),
  createWebhookEndpoint: `(input: { agentId: $id, url: "${PUBLIC_URL}" }) { signingSecret }`,
  updateWebhookEndpoint: byId("id", ', description: "intruder"'),
  deleteWebhookEndpoint: byId(),
  enableWebhookEndpoint: byId(),
  disableWebhookEndpoint: byId(),
  resendWebhookDelivery: byId(),
  rotateWebhookSecret: byId("signingSecret"),
  redeliver: byId("id", ', from: { after: "0" }'),
  sendTestEvent: byId("outcome"),
  saveConfigurationDraft:
    "(input: { agentId: $id, document: {}, expectedRevision: 1 }) { draft { revision } }",
  publishConfiguration: "(input: { agentId: $id, expectedLiveVersion: 2, fromVersion: 1 }) { version }",
  putContact: '(input: { agentId: $id, ref: "intruder" }) { created }',
  putContacts: '(input: { contacts: [{ agentId: $id, ref: "intruder" }] }) { results { created } }',
  decide: '(input: { agentId: $id, situation: { type: "x", data: {} } }) { id }',
  eraseContact: byId(),
  changeContactTags: byId("tags", ', add: ["intruder"], remove: ["theirs"]'),
  setConsent: byId("id", ', topic: "*", state: out'),
  markAddressDeliverable: byId("id", ", addressId: $id"),
  cancelMessage: byId(),
  approveMessage: byId(),
  discardMessage: byId(),
  cancelTimer: byId(),
  sendToConversation: byId("id", ', text: "intruder"'),
  moveConversation: byId("canceled", ', line: { name: "main" }'),
  assignConversation: byId(),
  markConversationOpened: byId(),
  setHandoffNotices: "(input: { agentId: $id, enabled: true }) { id }",
  handOffConversation: byId("canceled"),
  releaseConversation: byId("canceled"),
  closeConversation: byId("canceled"),
};

/** Fields that other tests of this file try across organizations. */
const TRIED = `
  agents members sessions passkeys invitations apiKeys auditLog messages keyUsage deprecatedUse
  operationUse usageTotals activity agentSummaries attention firstSteps lines lineChoices contacts conversations
  conversationMessages configurationVersions decisions timers events replayDecisions
  webhookEndpoints webhookDeliveries missedWebhookEvents lineActivity viewer organization whoami
  apiKey message contact exportContact conversation configuration configurationDraft
  checkConfiguration runConfigurationTests decision replayDecision testFromDecision
  webhookEndpoint find openConversation events createAgent createOrganizationKey
  renameOrganization signOut signOutEverywhere changePassword confirmSignIn removePassword
  changeEmail changeName startPasskeyRegistration addPasskey deactivateOrganization
  reactivateOrganization
`;

const namesIn = (text: string) => text.trim().split(/\s+/);

test("every operation is either tried across organizations or concerns no organization's data", () => {
  const schema = createSchema();
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  const fields = roots.flatMap((type) =>
    Object.keys(type?.getFields() ?? {}).map((field) => `${type?.name}.${field}`),
  );
  const others = fields.filter((field) => !namesIn(OF_NOBODY).includes(field));
  const tried = [...namesIn(TRIED), ...Object.keys(CHANGES)];
  expect(others.map((field) => field.split(".")[1]).sort()).toEqual(tried.sort());
});

describeGateway({ engine: "any", env: { PUBLIC_URL: PASSKEY_ORIGIN } }, (gateway) => {
  let ours: {
    manager: TestMember;
    key: { id: string; secret: string };
    organizationKey: { id: string; secret: string };
    agentId: string;
  };
  let theirs: typeof ours;
  /** IDs of resources in the other organization, by kind. */
  const their: Record<string, string> = {};
  let theirDelivery: string;
  /** Every ID and name in the other organization. */
  let secretsOfTheirs: string[];

  beforeAll(async () => {
    const make = async (slug: string) => {
      const made = await addOrganization(gateway, slug);
      await addMember(gateway, { org: slug, email: `reader@${slug}.example` });
      for (const permission of [Permission.conversations_read, Permission.conversations_write])
        await gateway.services.members.grantPermission(await operator(gateway, slug), {
          memberId: made.manager.id,
          permission,
        });
      return {
        ...made,
        key: await mint(gateway, { agent: `${slug}-agent`, name: `key of ${slug}` }),
        organizationKey: await mintForOrganization(gateway, { org: slug, name: `manages ${slug}` }),
      };
    };
    ours = await make("ours");
    const other = await make("theirs");
    theirs = other;
    const sent = await gateway.rest("POST", "/messages", {
      token: theirs.key.secret,
      body: { message: "for theirs only" },
    });
    their.message = sent.body.id;
    their.timer = await addTimer(gateway, theirs.agentId);
    their.line = (await addWebhookLine(gateway, { agentId: theirs.agentId, name: "of-the-others" })).id;
    const document = { format: 1, otherwise: [{ handoff: "a rule of theirs" }] };
    const save =
      "mutation ($id: ID!, $document: JSONObject!) { saveConfigurationDraft(input: { agentId: $id, document: $document, expectedRevision: 0 }) { draft { revision } } }";
    const publish =
      "mutation ($id: ID!) { publishConfiguration(input: { agentId: $id, expectedLiveVersion: 1 }) { version } }";
    for (const mutation of [save, publish, save])
      await ask(
        mutation,
        { id: theirs.agentId, ...(mutation === save && { document }) },
        theirs.manager.token,
      );
    their.contact = await addContact(gateway, { agentId: theirs.agentId, ref: "known to the others" });
    their.conversation = (await addConversation(gateway, { agentId: theirs.agentId })).id;
    await gateway.rest("POST", `/agent/conversations/${their.conversation}/messages`, {
      token: theirs.key.secret,
      body: { message: "in a conversation of theirs" },
    });
    await gateway.graphql(
      'mutation ($id: ID!) { changeContactTags(input: { id: $id, add: ["theirs"] }) { tags } }',
      { id: their.contact },
      { token: theirs.key.secret },
    );
    const situation = { type: "known.to.the.others", data: {} };
    const { body: decided } = await gateway.rest("POST", "/agent/decisions", {
      token: theirs.key.secret,
      body: { situation, contact: { id: their.contact } },
    });
    their.decision = decided.id;
    const { body: made } = await ask(
      `mutation ($id: ID!) { createWebhookEndpoint(input: { agentId: $id, url: "${PUBLIC_URL}" }) { endpoint { id } } }`,
      { id: theirs.agentId },
      theirs.manager.token,
    );
    const { endpoint } = made.data.createWebhookEndpoint;
    their.endpoint = endpoint.id;
    theirDelivery = await storeDelivery(gateway, endpoint, theirs.agentId);
    const invitation = await invite(gateway, { org: "theirs", email: "invited@theirs.example" });
    their.invitation = invitation.invitation.id;
    const { body: opened } = await ask("{ sessions { id } }", {}, theirs.manager.token);
    their.session = opened.data.sessions[0].id;
    their.passkey = await storePasskey(gateway, theirs.manager.id, "passkey of theirs");
    secretsOfTheirs = [
      ...["theirs", "known.to.the.others", other.id, other.agentId],
      ...[other.manager.id, other.key.id, other.organizationKey.id],
      ...Object.values(their),
    ];
  });

  const ask = (query: string, variables = {}, token = ours.manager.token) =>
    gateway.graphql(query, variables, { token });

  const everythingOf = async ({ agentId, manager, key, organizationKey }: typeof ours) =>
    JSON.stringify([
      (await ask(MANAGED, { agentId }, organizationKey.secret)).body,
      (await ask(LISTS, {}, manager.token)).body,
      (await ask(LINES, { agentId }, manager.token)).body,
      (await ask(LINES, {}, key.secret)).body,
      (await ask(CONFIGURATIONS, { agentId }, manager.token)).body,
      (await gateway.rest("GET", "/agent/configuration", { token: key.secret })).body,
      (await ask(CONTACTS, { agentId }, manager.token)).body,
      (await ask(CONTACTS, {}, key.secret)).body,
      (await ask(CONVERSATIONS, { agentId }, manager.token)).body,
      (await ask(CONVERSATIONS, {}, key.secret)).body,
      (await ask(MESSAGES, { agentId }, manager.token)).body,
      (await ask(MESSAGES, {}, manager.token)).body,
      (await ask(DECISIONS, {}, manager.token)).body,
      (await ask(DECISIONS, { agentId }, manager.token)).body,
      (await ask(TIMERS, { agentId }, manager.token)).body,
      (await ask(TIMERS, {}, key.secret)).body,
      (await ask(REPLAYS, {}, key.secret)).body,
      (await ask(EVENTS, { agentId }, manager.token)).body,
      (await ask(WEBHOOKS, { agentId }, manager.token)).body,
      (await ask(WEBHOOKS, {}, manager.token)).body,
      (await gateway.rest("GET", "/agent/events", { token: key.secret })).body,
      (await gateway.rest("GET", "/agent/decisions", { token: key.secret })).body,
      (await ask(MESSAGES, {}, key.secret)).body,
    ]);
  const LINES = "query ($agentId: ID) { lines(agentId: $agentId) { id name state isDefault version } }";
  const CONFIGURATIONS = `query ($agentId: ID!) {
    configuration(agentId: $agentId) { version document lines { name } }
    configurationVersions(agentId: $agentId) { nodes { version publishedBy } }
    configurationDraft(agentId: $agentId) { document revision updatedBy }
  }`;
  const CONTACTS = "query ($agentId: ID) { contacts(agentId: $agentId) { nodes { id ref tags version } } }";
  const CONVERSATIONS =
    "query ($agentId: ID) { conversations(agentId: $agentId) { nodes { id state handler version lastSequence } } }";
  const MESSAGES = "query ($agentId: ID) { messages(agentId: $agentId) { nodes { id text status } } }";
  const DECISIONS =
    "query ($agentId: ID) { decisions(agentId: $agentId) { nodes { id contactId situation { type } outcome } } }";
  const TIMERS = "query ($agentId: ID) { timers(agentId: $agentId) { nodes { id key } } }";
  const EVENTS = "query ($agentId: ID) { events(agentId: $agentId) { nodes { id type subject data } } }";
  const WEBHOOKS =
    "query ($agentId: ID) { webhookEndpoints(agentId: $agentId) { id url state secretGeneration updatedAt } }";
  const REPLAYS =
    "query ($agentId: ID) { replayDecisions(agentId: $agentId, against: { version: 1 }) { total decisions { decisionId } } }";
  const MANAGED = `query ($agentId: ID!) {
    whoami { organization { id slug } key { id } }
    agents { id slug } members { id email } webhookEndpoints { id url } lines(agentId: $agentId) { id name }
    lineChoices(agentId: $agentId) { id name }
    configuration(agentId: $agentId) { version document } configurationDraft(agentId: $agentId) { document }
    apiKeys(first: 100) { nodes { id name state agent { id } } }
    auditLog(first: 100) { nodes { id action actorId actorName targetId targetName } }
  }`;
  const LISTS = `{
    invitations { id email invitedBy organization { slug } } sessions { id isCurrent } passkeys { id name }
    agents { id slug name } members { id email permissions organization { id slug } } viewer { id organization { id slug } } organization { id slug }
    apiKeys(first: 100) { nodes { id name state expiresAt agent { id slug } } }
    auditLog(first: 100) { nodes { id action actorId actorName targetId targetName } }
  }`;

  test("no stream shows data of another organization", async () => {
    const { body: list } = await gateway.rest("GET", "/agent/events", { token: ours.key.secret });
    for (const open of Object.values(TRANSPORTS)) {
      const stream = await open(gateway, { token: ours.key.secret, after: "0" });
      await stream.until(({ positions }) => positions.length === list.length);
      for (const text of secretsOfTheirs) expect(stream.received()).not.toContain(text);
      stream.cut();
    }
    const outcome = (agentId: string) =>
      outcomeBySocket(gateway, ours.manager.token, FOLLOW, { agentId, after: "0" });
    expect(await outcome(ours.agentId)).toBe("ok");
    expect(await outcome(theirs.agentId)).toBe("not_found");
  });

  test("no list or response shows data of another organization", async () => {
    const seen = await everythingOf(ours);
    for (const text of secretsOfTheirs) expect(seen).not.toContain(text);
    const whoami = await gateway.rest("GET", "/agent/whoami", { token: ours.key.secret });
    expect(whoami.body.organization.slug).toBe("ours");
    // The other organization sees its own data, which proves that the test can fail.
    const shown = await everythingOf(theirs);
    for (const text of secretsOfTheirs) expect(shown).toContain(text);
  });

  test("usage covers only the organization's own keys, and first steps only its own messages", async () => {
    for (const { key } of [ours, theirs]) await outcomeOf(gateway, key.secret);
    await gateway.services.usageRecorder.flush({ all: true });
    const sum = "{ keyUsage { accepted } usageTotals { accepted } }";
    for (const { manager } of [ours, theirs]) {
      const { keyUsage, usageTotals } = (await ask(sum, {}, manager.token)).body.data;
      const accepted = keyUsage.reduce((sum: number, used: { accepted: number }) => sum + used.accepted, 0);
      expect(usageTotals).toEqual({ accepted });
    }
    const query = "{ keyUsage { apiKey { id } } firstSteps { messageQueued } }";
    expect((await ask(query)).body.data).toEqual({
      keyUsage: [{ apiKey: { id: ours.key.id } }, { apiKey: { id: ours.organizationKey.id } }],
      firstSteps: { messageQueued: false },
    });
    expect((await ask(query, {}, theirs.manager.token)).body.data).toEqual({
      keyUsage: [{ apiKey: { id: theirs.key.id } }, { apiKey: { id: theirs.organizationKey.id } }],
      firstSteps: { messageQueued: true },
    });
    const operations = `{ operationUse(keyId: "${theirs.key.id}") { operation } }`;
    for (const token of [ours.manager.token, ours.organizationKey.secret])
      expect((await ask(operations, {}, token)).body.data).toEqual({ operationUse: [] });
    const { operationUse } = (await ask(operations, {}, theirs.manager.token)).body.data;
    expect(operationUse).toContainEqual({ operation: "GET /agent/whoami" });
  });

  test("filters that name another organization's resources find nothing", async () => {
    const byLine = await ask(`{ messages(lineId: "${their.line}") { nodes { id } } }`);
    expect(byLine.body).toEqual({ data: { messages: { nodes: [] } } });
    for (const token of [ours.manager.token, ours.organizationKey.secret]) {
      const counts = `{ lineActivity(lineId: "${their.line}") { queued { count } } }`;
      expect(codeOf(await ask(counts, {}, token))).toBe("not_found");
    }
    const byAgent = await ask(`{ apiKeys(agentId: "${theirs.agentId}") { nodes { id } } }`);
    expect(byAgent.body).toEqual({ data: { apiKeys: { nodes: [] } } });
    for (const filter of [`targetId: "${theirs.key.id}"`, `actorId: "${theirs.manager.id}"`]) {
      const { body } = await ask(`{ auditLog(${filter}) { nodes { id } } }`);
      expect(body).toEqual({ data: { auditLog: { nodes: [] } } });
    }
  });

  const DRAFT = "query ($agentId: ID!) { configurationDraft(agentId: $agentId) { revision } }";
  const VERSIONS = "query ($agentId: ID!) { configurationVersions(agentId: $agentId) { nodes { version } } }";
  const CONFIGURATION = "query ($agentId: ID) { configuration(agentId: $agentId) { version } }";
  const CHECK =
    "query ($agentId: ID) { checkConfiguration(document: {}, agentId: $agentId) { warnings { path } } }";
  const TESTS = "query ($agentId: ID) { runConfigurationTests(agentId: $agentId) { total } }";
  const OF_AN_AGENT = {
    LINES,
    CHECK,
    CONFIGURATION,
    VERSIONS,
    DRAFT,
    CONTACTS,
    CONVERSATIONS,
    MESSAGES,
    DECISIONS,
    TIMERS,
    REPLAYS,
    TESTS,
    EVENTS,
    WEBHOOKS,
  };

  test.each(Object.keys(OF_AN_AGENT))(
    "%s of an agent of another organization are not found",
    async (list) => {
      const query = OF_AN_AGENT[list as keyof typeof OF_AN_AGENT];
      const reply = await ask(query, { agentId: theirs.agentId });
      expect([reply.status, codeOf(reply)]).toEqual([404, "not_found"]);
      const byKey = await ask(query, { agentId: theirs.agentId }, ours.organizationKey.secret);
      expect(["not_found", "forbidden"]).toContain(codeOf(byKey));
    },
  );

  test("a contact of another agent is not found by a key or member, by either API", async () => {
    const contact = "query ($id: ID!) { contact(by: { id: $id }) { id } }";
    for (const token of [ours.key.secret, ours.manager.token]) {
      const { body } = await ask(contact, { id: their.contact }, token);
      expect(body).toEqual({ data: { contact: null } });
      const exported = "query ($id: ID!) { exportContact(id: $id) { totalCount } }";
      expect(codeOf(await ask(exported, { id: their.contact }, token))).toBe("not_found");
    }
    const path = `/agent/contacts/${their.contact}`;
    for (const [method, route] of [
      ["GET", path],
      ["DELETE", path],
      ["GET", `${path}/tags`],
      ["GET", `${path}/export`],
      ["PUT", `${path}/tags/intruder`],
      ["DELETE", `${path}/tags/theirs`],
    ] as const)
      expect((await gateway.rest(method, route, { token: ours.key.secret })).status).toBe(404);
  });

  test("a conversation of another agent is not found by a key or member, by either API", async () => {
    const id = their.conversation;
    const find = "query ($id: ID!) { conversation(id: $id) { id } }";
    const messages = "query ($id: ID!) { conversationMessages(id: $id) { nodes { id } } }";
    const open = "mutation ($input: OpenConversationInput!) { openConversation(input: $input) { created } }";
    for (const [token, agent] of [
      [ours.key.secret, {}],
      [ours.manager.token, { agentId: ours.agentId }],
    ] as const) {
      expect((await ask(find, { id }, token)).body).toEqual({ data: { conversation: null } });
      expect(codeOf(await ask(messages, { id }, token))).toBe("not_found");
      const input = { ...agent, contact: { id: their.contact } };
      expect(codeOf(await ask(open, { input }, token))).toBe("not_found");
    }
    const path = `/agent/conversations/${id}`;
    for (const [method, route, body] of [
      ["GET", path],
      ["GET", `${path}/messages`],
      ["POST", `${path}/messages`, { message: "intruder" }],
      ["POST", `${path}/move`, { line: "main" }],
      ["POST", `${path}/handoff`],
      ["POST", `${path}/release`],
      ["POST", `${path}/close`],
    ] as const)
      expect((await gateway.rest(method, route, { token: ours.key.secret, body })).status).toBe(404);
  });

  test("a decision of another agent is not found, and decisions about its contacts and conversations are rejected", async () => {
    const id = their.decision;
    const find = "query ($id: ID!) { decision(id: $id) { id } }";
    const replay = "query ($id: ID!) { replayDecision(id: $id, against: { version: 1 }) { status } }";
    const test = "query ($id: ID!) { testFromDecision(id: $id) { test } }";
    const decide = "mutation ($input: DecideInput!) { decide(input: $input) { id } }";
    const situation = { type: "intruder", data: {} };
    for (const [token, agent] of [
      [ours.key.secret, {}],
      [ours.manager.token, { agentId: ours.agentId }],
    ] as const) {
      expect((await ask(find, { id }, token)).body).toEqual({ data: { decision: null } });
      for (const query of [replay, test]) expect(codeOf(await ask(query, { id }, token))).toBe("not_found");
      for (const about of [{ contact: { id: their.contact } }, { conversationId: their.conversation }])
        expect(codeOf(await ask(decide, { input: { ...agent, situation, ...about } }, token))).toBe(
          "not_found",
        );
    }
    const path = `/agent/decisions/${id}`;
    expect((await gateway.rest("GET", path, { token: ours.key.secret })).status).toBe(404);
    const body = { against: { version: 1 } };
    expect((await gateway.rest("POST", `${path}/replay`, { token: ours.key.secret, body })).status).toBe(404);
  });

  test("a webhook endpoint of another organization and its deliveries are not found", async () => {
    const find = "query ($id: ID!) { webhookEndpoint(id: $id) { id } }";
    expect((await ask(find, { id: their.endpoint })).body).toEqual({ data: { webhookEndpoint: null } });
    const deliveries = "query ($id: ID!) { webhookDeliveries(endpointId: $id) { nodes { id } } }";
    const missed =
      'query ($id: ID!) { missedWebhookEvents(id: $id, from: { since: "2026-01-01T00:00:00Z" }) { count } }';
    for (const query of [deliveries, missed]) {
      expect(codeOf(await ask(query, { id: their.endpoint }))).toBe("not_found");
      expect(codeOf(await ask(query, { id: their.endpoint }, theirs.manager.token))).toBeUndefined();
    }
  });

  test("the sessions of a member of another organization are not found", async () => {
    const sessions = "query ($id: ID!) { sessions(memberId: $id) { id } }";
    expect(codeOf(await ask(sessions, { id: theirs.manager.id }))).toBe("not_found");
    expect(codeOf(await ask(sessions, { id: theirs.manager.id }, theirs.manager.token))).toBeUndefined();
  });

  test("a cursor from another organization's list shows nothing from that list", async () => {
    const page = "{ apiKeys { pageInfo { endCursor } } auditLog { pageInfo { startCursor } } }";
    const { apiKeys, auditLog } = (await ask(page, {}, theirs.manager.token)).body.data;
    const seen = await ask(`{
      apiKeys(after: "${apiKeys.pageInfo.endCursor}") { nodes { id name } }
      auditLog(after: "${auditLog.pageInfo.startCursor}") { nodes { targetId targetName actorName } }
    }`);
    expect(seen.body.errors).toBeUndefined();
    for (const text of secretsOfTheirs) expect(seen.text).not.toContain(text);
  });

  test("an id of another organization is not found, as if it did not exist", async () => {
    const key = await ask("query ($id: ID!) { apiKey(id: $id) { id } }", { id: theirs.key.id });
    expect(key.body).toEqual({ data: { apiKey: null } });
    const message = "query ($id: ID!) { message(id: $id) { id } }";
    const found = await ask(message, { id: their.message }, ours.key.secret);
    expect(found.body).toEqual({ data: { message: null } });
    const cancel = "mutation ($id: ID!) { cancelMessage(input: { id: $id }) { id } }";
    expect(codeOf(await ask(cancel, { id: their.message }, ours.key.secret))).toBe("not_found");
  });

  describe("an attempt to change another organization", () => {
    let before: string;
    beforeAll(async () => {
      before = await everythingOf(theirs);
    });

    test.each(Object.entries(CHANGES))("%s is rejected", async (field, call) => {
      const { agentId, manager, key } = theirs;
      const affected: [RegExp, string | undefined][] = [
        [/^(create|put|decide|connect)|Configuration|HandoffNotices|Agent$/, agentId],
        [/Delivery$/, theirDelivery],
        [/Webhook|^redeliver|^sendTest/, their.endpoint],
        [/Contact|Address|Consent/, their.contact],
        [/Conversation(Opened)?$/, their.conversation],
        [/Message$/, their.message],
        [/Timer$/, their.timer],
        [/Permissions?$|^removeMember|^unlinkIdentity/, manager.id],
        [/Session$/, their.session],
        [/Passkey$/, their.passkey],
        [/Invitation$/, their.invitation],
        [/Line/, their.line],
        [/Key$/, key.id],
      ];
      const id = affected.find(([name]) => name.test(field))?.[1];
      const document = documentOf(`Mutation.${field}`, call);
      const reply = await ask(document, { id });
      expect([reply.status, codeOf(reply)]).toEqual([404, "not_found"]);
      const byKey = await ask(document, { id }, ours.organizationKey.secret);
      expect(["not_found", "forbidden"]).toContain(codeOf(byKey));
    });

    test("changes nothing", async () => {
      expect(await everythingOf(theirs)).toBe(before);
      expect(await outcomeOf(gateway, theirs.key.secret)).toBe("accepted");
    });
  });

  test("changes that members make to themselves and their organization do not affect another one", async () => {
    const before = await everythingOf(theirs);
    const { password } = ours.manager;
    const passwords = { currentPassword: password, newPassword: `${password}!` };
    const email = { email: "renamed@ours.example" };
    const change = "mutation ($input: ChangePasswordInput!) { changePassword(input: $input) { id } }";
    for (const [mutation, variables] of [
      ['mutation { createAgent(input: { slug: "their-neighbor", name: "New" }) { id } }', {}],
      ['mutation { renameOrganization(input: { name: "Renamed" }) { id } }', {}],
      [
        'mutation { createOrganizationKey(input: { name: "x", scopes: [audit_read], allowedNetworks: ["::1/128"] }) { secret } }',
        {},
      ],
      ["mutation { deactivateOrganization { id } }", {}],
      ["mutation { reactivateOrganization { id } }", {}],
      [
        "mutation ($input: ConfirmSignInInput!) { confirmSignIn(input: $input) { id } }",
        { input: { password } },
      ],
      ["mutation ($input: ChangeEmailInput!) { changeEmail(input: $input) { id } }", { input: email }],
      ['mutation { changeName(input: { name: "Owner" }) { id } }', {}],
      [change, { input: passwords }],
      ["mutation { signOut { wasActive } }", {}],
      ["mutation { signOutEverywhere { endedSessions } }", {}],
    ] as const) {
      expect(codeOf(await ask(mutation, variables))).toBeUndefined();
      expect(await outcomeOf(gateway, theirs.key.secret)).toBe("accepted");
      if (mutation.includes("changeEmail")) ours.manager.email = email.email;
      if (mutation === change) ours.manager.password = passwords.newPassword;
      if (mutation.includes("signOut")) ours.manager.token = await openSession(gateway, ours.manager);
    }
    await addPasskey(gateway, ours.manager);
    expect(codeOf(await ask("mutation { removePassword { id } }", {}))).toBeUndefined();
    expect(await everythingOf(theirs)).toBe(before);
  });
});
