import { isInputObjectType, isObjectType } from "graphql";
import { instantOf } from "../../src/common/instant";
import { createSchema } from "../../src/graphql/schema";
import { sqlite } from "../support/engines";
import { suiteGateway } from "../support/suite";

test.each([
  ["2026-11-21T06:36:59Z", "2026-11-21T06:36:59.000Z"],
  ["2026-11-21t06:36:59.5z", "2026-11-21T06:36:59.500Z"],
  ["2026-11-21T06:36:59.123456789012+01:30", "2026-11-21T05:06:59.123Z"],
  ["2026-12-31T23:59:60Z", "2027-01-01T00:00:00.000Z"],
  ["2026-12-31t22:29:60.25-01:30", "2027-01-01T00:00:00.250Z"],
  ["2024-02-29T00:00:00Z", "2024-02-29T00:00:00.000Z"],
  ["2026-02-29T00:00:00Z", undefined],
  ["2026-11-21T24:00:00Z", undefined],
  ["2026-11-21T06:60:00Z", undefined],
  ["2026-11-21T06:36:61Z", undefined],
  ["2026-11-21T06:36:59+01:60", undefined],
  ["2026-11-21T06:36:59", undefined],
  ["2026-11-21 06:36:59Z", undefined],
  ["9999-12-31T23:59:60Z", undefined],
])("the time %s is %s", (text, instant) => {
  expect(instantOf(text)?.toISOString()).toBe(instant);
});

test("every field that is a time has the scalar of times", () => {
  const types = Object.values(createSchema().getTypeMap()).filter(
    (type) => isObjectType(type) || isInputObjectType(type),
  );
  const fields = types.flatMap((type) => Object.values(type.getFields()));
  const times = fields.filter(({ name }) => /^(now|start|since|until|timestamp|.*At)$/.test(name));
  expect(times.length).toBeGreaterThan(50);
  expect(times.filter(({ type }) => !/^DateTimeISO!?$/.test(String(type))).map(({ name }) => name)).toEqual(
    [],
  );
});

describe("GraphQL", () => {
  const gateway = suiteGateway(sqlite);

  test.each(["2098-12-31t23:59:60z", "2098-12-31T22:59:60.000-01:00"])(
    "accepts the time %s in variables and in literals",
    async (time) => {
      const { id } = await gateway.services.agents.bySlug("first-agent");
      const mint = (name: string) =>
        `createApiKey(input: { agentId: "${id}", name: "${name} ${time}", expiresAt: ${name === "variable" ? "$time" : `"${time}"`} }) { apiKey { expiresAt } }`;
      const { body } = await gateway.graphql(
        `mutation ($time: DateTimeISO!) { a: ${mint("variable")} b: ${mint("literal")} }`,
        { time },
        { token: gateway.owner },
      );
      const minted = { apiKey: { expiresAt: "2099-01-01T00:00:00.000Z" } };
      expect(body).toEqual({ data: { a: minted, b: minted } });
    },
  );
});
