import { v7 as uuid } from "uuid";
import { timestamp } from "../../src/common/time";
import { Message } from "../../src/features/messages/message.entity";
import { MessageStatus } from "../../src/features/messages/message.enums";
import { mint, operator } from "../support/gateway";
import { describeGateway } from "../support/suite";

describeGateway({ engine: "any" }, (gateway) => {
  let otherAgentsKey: string;
  beforeAll(async () => {
    await gateway.services.agents.create(await operator(gateway), { slug: "other-agent", name: "Other" });
    otherAgentsKey = (await mint(gateway, { agent: "other-agent" })).secret;
  });

  const LIST =
    "query ($after: String) { messages(first: 2, after: $after) { nodes { id text } pageInfo { endCursor } } }";
  const ONE = "query ($id: ID!) { message(id: $id) { text status createdAt } }";

  test("a message sent through REST is queued and can be read back by its agent", async () => {
    const sent = await gateway.rest("POST", "/messages", { body: { message: "Hello" } });
    expect(sent.status).toBe(201);
    expect(sent.body).toEqual({
      id: expect.any(String),
      message: "Hello",
      status: "queued",
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
    const { id, createdAt } = sent.body;
    const read = await gateway.graphql(ONE, { id });
    expect(read.body).toEqual({ data: { message: { text: "Hello", status: "queued", createdAt } } });
  });

  test("a message comes after messages of a process whose clock is ahead", async () => {
    const context = await operator(gateway);
    const agent = await gateway.services.agents.create(context, { slug: "ahead", name: "Ahead" });
    const { secret } = await mint(gateway, { agent: "ahead" });
    const early = {
      agentId: agent.id,
      text: "ahead",
      status: MessageStatus.queued,
      createdAt: timestamp(),
    };
    const id = uuid({ msecs: Date.now() + 3_600_000 });
    await gateway.services.database.write((tx) => tx.insert(Message, { ...early, id }));
    for (const message of ["then", "last"]) {
      await gateway.rest("POST", "/messages", { body: { message }, token: secret });
    }
    const { body } = await gateway.graphql("{ messages { nodes { text } } }", {}, { token: secret });
    expect(body.data.messages.nodes.map(({ text }: { text: string }) => text)).toEqual([
      "ahead",
      "then",
      "last",
    ]);
  });

  test("an agent neither reads nor lists the messages of another", async () => {
    const { id } = (await gateway.rest("POST", "/messages", { body: { message: "Secret" } })).body;
    expect((await gateway.graphql(ONE, { id }, { token: otherAgentsKey })).body).toEqual({
      data: { message: null },
    });
    const { body } = await gateway.graphql(LIST, {}, { token: otherAgentsKey });
    expect(body.data.messages.nodes).toEqual([]);
  });

  test("the messages of an agent are listed in order of arrival, page by page", async () => {
    const { secret } = await mint(gateway, { agent: "other-agent" });
    for (const message of ["one", "two", "three"]) {
      await gateway.rest("POST", "/messages", { body: { message }, token: secret });
    }
    const first = (await gateway.graphql(LIST, {}, { token: secret })).body.data.messages;
    const next = await gateway.graphql(LIST, { after: first.pageInfo.endCursor }, { token: secret });
    const texts = [...first.nodes, ...next.body.data.messages.nodes].map(({ text }) => text);
    expect(texts).toEqual(["one", "two", "three"]);
  });
});
