import { getNamedType, isLeafType, isObjectType } from "graphql";
import { getMetadataArgsStorage } from "typeorm";
import { MESSAGE_TEXT_MAX_LENGTH } from "../../src/features/messages/message.limits";
import { MAX_RESPONSE_CHARACTERS } from "../../src/graphql/query-limits/limits";
import { createSchema } from "../../src/graphql/schema";
import { ASSUMED_TEXT_LENGTH } from "../../src/schema/list-size";
import { codesOf, expectGraphQLError } from "../support/rejections";
import { slowTest } from "../support/slow-test";
import { describeGateway } from "../support/suite";

const pages = (count: number, page = "messages(first: 100) { nodes { text } }") =>
  Array.from({ length: count }, (_, i) => `a${i}: ${page}`).join(" ");

describeGateway({ engine: "one" }, (gateway) => {
  beforeAll(async () => {
    const body = { message: "x".repeat(MESSAGE_TEXT_MAX_LENGTH) };
    await Promise.all(Array.from({ length: 100 }, () => gateway.rest("POST", "/messages", { body })));
  });

  test.each([
    ["a page of 100 messages of 10,000 characters", `{ ${pages(1)} }`, 1_000_000],
    ["four of them", `{ ${pages(4)} }`, 4_000_000],
  ])("%s is answered", async (_, query, characters) => {
    const { status, text } = await gateway.graphql(query);
    expect(status).toBe(200);
    expect(text.length).toBeGreaterThan(characters);
    expect(text.length).toBeLessThan(MAX_RESPONSE_CHARACTERS);
  });

  slowTest(
    "a potentially large response returns its part of the budget, so that others can follow",
    async () => {
      for (let i = 0; i < 10; i++) {
        const { status } = await gateway.graphql(`{ ${pages(4)} }`);
        expect([i, status]).toEqual([i, 200]);
      }
    },
  );

  test.each([
    ["50 pages of 100 messages", `{ ${pages(50)} }`, {}],
    ["five of them", `{ ${pages(5)} }`, {}],
    [
      "as many by a variable",
      `query ($n: Int) { ${pages(5, "messages(first: $n) { nodes { text } }")} }`,
      { n: 100 },
    ],
    [
      "ids under long names",
      `{ ${pages(50, "messages(first: 100) { ...f }")} } fragment f on MessageConnection { nodes { ${"n".repeat(25_000)}: id } }`,
      {},
    ],
  ])("%s are rejected, however short the messages are", async (_, query, variables) => {
    const reply = await gateway.graphql(query, variables);
    expectGraphQLError(reply, "query_too_complex");
    expect(reply.body.errors[0].message).toMatch(
      /^The response could have \d+ characters, but at most 5000000 are allowed\. Select fewer fields or request smaller pages\.$/,
    );
  });

  test("five pages are answered if variables make them small", async () => {
    const query = `query ($n: Int) { ${pages(5, "messages(first: $n) { nodes { text } }")} }`;
    expect(codesOf(await gateway.graphql(query, { n: 80 }))).toEqual([]);
  });
});

test("texts that may be longer than assumed declare their max length", () => {
  const { tables, columns } = getMetadataArgsStorage();
  const types = createSchema().getTypeMap();
  const long = columns.flatMap(({ target, propertyName, options }) => {
    const table = tables.find((each) => each.target === target);
    const type = types[typeof target === "function" && table ? target.name : ""];
    const field = isObjectType(type) ? type.getFields()[propertyName] : undefined;
    const length = options.type === "text" ? Number.POSITIVE_INFINITY : Number(options.length ?? 0);
    const characters = Number.isFinite(length) ? length : expect.any(Number);
    return field && isLeafType(getNamedType(field.type)) && length > ASSUMED_TEXT_LENGTH
      ? [{ name: field.name, is: field.extensions.characters, characters }]
      : [];
  });
  expect(long.map(({ name, is: characters }) => ({ name, characters }))).toEqual(
    long.map(({ name, characters }) => ({ name, characters })),
  );
  expect(long).toContainEqual(expect.objectContaining({ name: "text", is: MESSAGE_TEXT_MAX_LENGTH }));
});
