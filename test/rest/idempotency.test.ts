import { mint, operator, type Reply } from "../support/gateway";
import { callTool } from "../support/mcp";
import { expectGraphQLError, expectRestError, rowsOf } from "../support/rejections";
import { describeGateway } from "../support/suite";

const PET = { name: "Rex", categoryId: 7, status: "available" };
const CREATE_PET =
  "mutation ($input: CreatePetInput!) { createPet(input: $input) { id name categoryId status } }";

describeGateway({ engine: "any", strict: true }, (gateway) => {
  let count = 0;
  const newKey = () => `key-${++count}`;
  const add = (key: string, body: unknown = PET, token = gateway.key) =>
    gateway.rest("POST", "/v1/pets", { body, token, headers: { "idempotency-key": key } });
  const addByGraphQL = (idempotencyKey: string, pet: object = { ...PET, categoryId: "7" }) =>
    gateway.graphql(CREATE_PET, { input: { ...pet, idempotencyKey } });
  const send = (key: string, message = "Hello") =>
    gateway.rest("POST", "/messages", { body: { message }, headers: { "idempotency-key": key } });

  test("the same key and body return the first response again and create one row", async () => {
    const key = newKey();
    const before = await rowsOf(gateway);
    const [first, second] = [await add(key), await add(key)];
    expect(first.status).toBe(201);
    expect({ status: second.status, text: second.text }).toEqual({ status: 201, text: first.text });
    expect(second.headers.get("location")).toBe(first.headers.get("location"));
    const [message, again] = [await send(key), await send(key)];
    expect({ status: again.status, text: again.text }).toEqual({ status: 201, text: message.text });
    expect(await rowsOf(gateway)).toEqual({ pets: before.pets + 1, messages: before.messages + 1 });
  });

  test("only a repeated response says so, in each API", async () => {
    const replayed = ({ headers }: Reply) => headers.get("idempotency-replayed");
    const tool = (args: object) => callTool(gateway, "createPet", { ...PET, ...args });
    for (const create of [
      (idempotencyKey: string) => add(idempotencyKey),
      (idempotencyKey: string) => addByGraphQL(idempotencyKey),
      (idempotencyKey: string) => tool({ idempotencyKey }),
      (idempotencyKey: string) => send(idempotencyKey),
    ]) {
      const key = newKey();
      expect([replayed(await create(key)), replayed(await create(key))]).toEqual([null, "true"]);
    }
    const key = newKey();
    const together = await Promise.all([add(key), add(key), add(key)]);
    expect(together.map(replayed).sort()).toEqual([null, "true", "true"]);
    expect(replayed(await add(key, { ...PET, name: "Tom" }))).toBeNull();
    expect(replayed(await tool({}))).toBeNull();
    const take = jest.spyOn(gateway.services.agentQueues, "take").mockResolvedValue(false);
    const full = newKey();
    const rejected = await Promise.all([send(full), send(full), send(full)]);
    take.mockRestore();
    expect(rejected.map((reply) => [reply.status, replayed(reply)])).toEqual(Array(3).fill([429, null]));
  });

  test("the repeated body may be written differently", async () => {
    const key = newKey();
    const first = await add(key, '{"name":"Rex","categoryId":7}');
    const second = await add(`"${key}"`, ' { "status": null, "categoryId": 7.0, "name": "\\u0052ex" } ');
    expect(second.text).toBe(first.text);
  });

  test("a key that was used through one API returns the same row through the other", async () => {
    const key = newKey();
    const { id } = (await add(key)).body;
    expect((await addByGraphQL(key)).body).toEqual({
      data: { createPet: { ...PET, id: String(id), categoryId: "7" } },
    });
    const other = newKey();
    const created = (await addByGraphQL(other)).body.data.createPet;
    expect((await add(other)).body).toEqual({ ...PET, id: Number(created.id) });
  });

  test.each([
    ["name", { ...PET, name: "Tom" }],
    ["categoryId", { ...PET, categoryId: 8 }],
    ["status", { ...PET, status: "sold" }],
    ["status, which is omitted,", { name: "Rex", categoryId: 7 }],
  ])("the same key with another %s is 409 and creates no row", async (_, other) => {
    const key = newKey();
    await add(key);
    const before = await rowsOf(gateway);
    expectRestError(await add(key, other), "idempotency_key_reused");
    const byGraphQL = await addByGraphQL(key, { ...other, categoryId: String(other.categoryId) });
    expectGraphQLError(byGraphQL, "idempotency_key_reused");
    expect(await rowsOf(gateway)).toEqual(before);
  });

  test("ten concurrent calls with the same key create one row and get the same response", async () => {
    const key = newKey();
    const before = await rowsOf(gateway);
    const pets = await Promise.all(Array.from({ length: 10 }, () => add(key)));
    const messages = await Promise.all(Array.from({ length: 10 }, () => send(key)));
    expect(new Set(pets.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(new Set(messages.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(await rowsOf(gateway)).toEqual({ pets: before.pets + 1, messages: before.messages + 1 });
  });

  test("ten concurrent calls with the same key and ten bodies create one row", async () => {
    const key = newKey();
    const before = await rowsOf(gateway);
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, i) => add(key, { ...PET, name: `Rex ${i}` })),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(409)]);
    expect((await rowsOf(gateway)).pets).toBe(before.pets + 1);
  });

  test("a rejected call leaves its key free", async () => {
    const key = newKey();
    expectRestError(await add(key, { ...PET, name: "" }), "invalid_request");
    expect((await add(key)).status).toBe(201);
  });

  test("keys are separate for each agent, but shared by the API keys of an agent", async () => {
    const key = newKey();
    const { id } = (await add(key)).body;
    const { secret } = await mint(gateway);
    expect((await add(key, PET, secret)).body.id).toBe(id);
    await gateway.services.agents.create(await operator(gateway), { slug: "second", name: "Second" });
    const other = await mint(gateway, { agent: "second" });
    expect((await add(key, PET, other.secret)).body.id).not.toBe(id);
  });

  test.each([
    ["empty", ""],
    ["two quotes", '""'],
    ["blank between quotes", '"  "'],
    ["of 256 characters", "x".repeat(256)],
  ])("a key that is %s is 400 and creates no row", async (_, key) => {
    const before = await rowsOf(gateway);
    for (const reply of [await add(key), await send(key)]) {
      expectRestError(reply, "invalid_request");
      expect(reply.body.message).toMatch(/^Idempotency-Key must/);
    }
    if (!key.includes('"')) expectGraphQLError(await addByGraphQL(key), "invalid_request");
    expect(await rowsOf(gateway)).toEqual(before);
  });

  test("a key of 255 characters is accepted", async () => {
    const key = "x".repeat(255);
    expect((await add(key)).text).toBe((await add(key)).text);
  });
});
