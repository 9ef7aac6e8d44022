import { v7 as uuid } from "uuid";
import { timestamp } from "../../src/common/time";
import { Message } from "../../src/features/messages/message.entity";
import { MessageStatus } from "../../src/features/messages/message.enums";
import { addAgent } from "../support/people";
import { describeGateway } from "../support/suite";

describeGateway({ engine: "any" }, (gateway) => {
  let otherAgentsKey: string;
  beforeAll(async () => {
    otherAgentsKey = (await addAgent(gateway)).token;
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
    const { id: agentId, token } = await addAgent(gateway);
    const early = { agentId, text: "ahead", status: MessageStatus.queued, createdAt: timestamp() };
    const id = uuid({ msecs: Date.now() + 3_600_000 });
    await gateway.rows.insert(Message, { ...early, id });
    for (const message of ["then", "last"])
      await gateway.rest("POST", "/messages", { body: { message }, token });
    const { body } = await gateway.graphql("{ messages { nodes { text } } }", {}, { token });
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
    const { token } = await addAgent(gateway);
    for (const message of ["one", "two", "three"])
      await gateway.rest("POST", "/messages", { body: { message }, token });
    const first = (await gateway.graphql(LIST, {}, { token })).body.data.messages;
    const next = await gateway.graphql(LIST, { after: first.pageInfo.endCursor }, { token });
    const texts = [...first.nodes, ...next.body.data.messages.nodes].map(({ text }) => text);
    expect(texts).toEqual(["one", "two", "three"]);
  });
});
