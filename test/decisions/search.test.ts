import { timestamp } from "../../src/common/time";
import { Decision } from "../../src/features/decisions/decision.entity";
import { contactClient } from "../support/contacts";
import { decisionClient, publish } from "../support/decisions";
import { firstAgentId } from "../support/people";
import { describeGateway } from "../support/suite";
import { waitUntil } from "../support/wait-until";

const orderId = "{{ situation.data.orderId }}";
const later = {
  situation: "order.late",
  key: orderId,
  at: "2026-01-01T00:00:00Z",
  data: { orderId, lines: 2 },
};
const DOCUMENT = {
  situations: {
    "order.shipped": { data: { orderId: "string" }, key: "orderId" },
    "order.late": { data: { orderId: "string", lines: "int" }, key: "lines" },
    "order.paid": { data: { number: "int?" }, key: "number" },
    "order.noted": { orderId: "string" },
  },
  rules: [
    { id: "shipped", on: "order.shipped", do: [{ later }] },
    { id: "paid", on: "order.paid", do: [{ addTags: ["paid"] }] },
  ],
  otherwise: [],
};

describeGateway({ env: { DELIVERY_WORKERS: "1" }, engine: "any" }, (gateway) => {
  let agentId: string;
  const api = decisionClient(gateway);
  const contact = { ref: "anna" };
  beforeAll(async () => {
    agentId = await firstAgentId(gateway);
    await publish(gateway, agentId, DOCUMENT);
  });

  const decide = async (type: string, data: Record<string, unknown>, about: object = { contact }) =>
    (await api.decide({ type, data, ...about })).body;
  const idsOf = (decisions: readonly { id: string }[]) => decisions.map(({ id }) => id);
  const found = async (filter: Record<string, string>) => {
    const { body } = await api.list(`?${new URLSearchParams(filter)}`);
    return idsOf(body);
  };

  test("decisions are found by the key that the situation's declaration names", async () => {
    const a9 = await decide("order.shipped", { orderId: "A9" });
    expect(a9).toMatchObject({ situationKey: "A9", situation: { data: { orderId: "A9" } } });
    const other = await decide("order.shipped", { orderId: "A9" }, { contact: { ref: "ben" } });
    const paid = await decide("order.paid", { number: 17 });
    expect(paid.situationKey).toBe("17");
    const noted = await decide("order.noted", { orderId: "A9" });
    const unknown = await decide("order.unknown", { orderId: "A9" });
    const without = [await decide("order.paid", {}), await decide("order.shipped", { orderId: "" })];
    for (const decision of [noted, unknown, ...without]) expect(decision).not.toHaveProperty("situationKey");

    expect(await found({ key: "A9" })).toEqual([other.id, a9.id]);
    expect(await found({ key: "A9", contactId: a9.contactId, type: "order.shipped" })).toEqual([a9.id]);
    expect(await found({ key: "17" })).toEqual([paid.id]);
    for (const none of ["a9", "A", "' or ''='"]) expect(await found({ key: none })).toEqual([]);

    const { body } = await gateway.graphql(
      `{ decisions(key: "A9", ruleId: "shipped") { totalCount nodes { id situationKey } } }`,
    );
    expect(body.data.decisions).toMatchObject({
      totalCount: 2,
      nodes: [{ situationKey: "A9" }, { id: a9.id }],
    });
  });

  test("decisions are found by any combination of type, rule, outcome and time", async () => {
    const before = await decide("order.noted", { orderId: "1" });
    const since = timestamp(1);
    while (timestamp() <= since) await Promise.resolve();
    const noted = await decide("order.noted", { orderId: "2" });
    const paid = await decide("order.paid", { number: 1 });
    expect(await found({ type: "order.noted", since })).toEqual([noted.id]);
    expect((await found({ type: "order.noted", until: since }))[0]).toBe(before.id);
    expect(await found({ ruleId: "paid", since, outcome: "silent" })).toEqual([paid.id]);
    expect(await found({ ruleId: "paid", since, outcome: "failed" })).toEqual([]);
    expect(await found({ since, until: since })).toEqual([]);
    expect(await found({ since: "9999-12-31T23:59:59Z" })).toEqual([]);
  });

  test("decisions are found by the version of the configuration", async () => {
    const before = await decide("order.noted", { orderId: "v" });
    await publish(gateway, agentId, { ...DOCUMENT, otherwise: [{ addTags: ["other"] }] });
    const after = await decide("order.noted", { orderId: "v" });
    const version = ({ configurationVersion }: { configurationVersion: number }) => `${configurationVersion}`;
    expect(await found({ version: version(after) })).toEqual([after.id]);
    expect((await found({ version: version(before) }))[0]).toBe(before.id);
    for (const none of ["0", "-1", "2147483647"]) expect(await found({ version: none })).toEqual([]);
    for (const value of ["2147483648", "1.5", "x"])
      expect((await api.list(`?version=${value}`)).status).toBe(400);
  });

  test.each(["key", "type", "ruleId"])("an impossible %s is rejected", async (name) => {
    for (const value of ["\0", "x".repeat(201), " "]) {
      const { status, body } = await api.list(`?${new URLSearchParams({ [name]: value })}`);
      expect([status, body.code]).toEqual([400, "invalid_request"]);
    }
  });

  test("a key that cannot be stored is rejected with the member's path", async () => {
    const { status, body } = await api.decide({ type: "order.shipped", data: { orderId: "😀".repeat(201) } });
    expect([status, body.code]).toEqual([400, "invalid_request"]);
    expect(body.message).toContain("situation.data.orderId must have at most 200 characters");
    const longest = await decide("order.shipped", { orderId: "😀".repeat(200) });
    expect(await found({ key: longest.situationKey })).toEqual([longest.id]);
  });

  test("the decision of a timer also has the key, and an erased contact's decisions have none", async () => {
    const { contactId } = await decide("order.shipped", { orderId: "B2" }, { contact: { ref: "carl" } });
    await waitUntil(async () => (await found({ key: "2", contactId })).length > 0);
    await contactClient(gateway).erase(contactId);
    const rows = await gateway.services.database.read((reader) => reader.findBy(Decision, { contactId }));
    expect(rows.map(({ situationType, situationKey }) => [situationType, situationKey])).toEqual([
      ["order.shipped", null],
      ["order.late", null],
    ]);
  });
});
