import { mint, operator } from "../support/gateway";
import { apiKeyClient } from "../support/keys";
import { codeOf } from "../support/people";
import { describeGateway } from "../support/suite";

const LIST = `query ($search: String, $state: ApiKeyState, $first: Int, $after: String) {
  apiKeys(search: $search, state: $state, first: $first, after: $after) {
    nodes { name } pageInfo { hasNextPage endCursor }
  }
}`;

const NAMES = [
  "Billing EU",
  "billing us",
  "Überweisung",
  "ÖSTERREICH",
  "100% sure",
  "a_b",
  "axb",
  "C:\\keys",
];

describeGateway({ engine: "any" }, (gateway) => {
  let hint: string;
  let revokedId: string;
  beforeAll(async () => {
    for (const name of NAMES) await mint(gateway, { name });
    ({ hint } = await mint(gateway, { name: "the hinted one" }));
    ({ id: revokedId } = await mint(gateway, { name: "billing of old" }));
    await gateway.services.keys.revoke(await operator(gateway), revokedId);
  });

  const page = async (variables: Record<string, unknown>) => {
    const reply = await gateway.graphql(LIST, { first: 100, ...variables }, { token: gateway.owner });
    return reply.body.data.apiKeys;
  };
  const namesWith = async (search: string | null, more = {}) =>
    (await page({ search, ...more })).nodes.map(({ name }: { name: string }) => name).sort();

  test.each([
    ["a part of the name", "illing E", ["Billing EU"]],
    ["another case", "BILLING", ["Billing EU", "billing of old", "billing us"]],
    ["another case of a letter beyond a to z", "überWEISUNG", ["Überweisung"]],
    ["another case of that, the other way round", "österreich", ["ÖSTERREICH"]],
    ["an accent that is a separate character", "U\u0308ber", ["Überweisung"]],
    ["spaces around it", "  ling us ", ["billing us"]],
    ["a percent sign", "%", ["100% sure"]],
    ["an underscore", "a_b", ["a_b"]],
    ["a backslash", "\\", ["C:\\keys"]],
    ["a quote", "'", []],
    ["NUL", "\0", []],
    ["half a character", "\ud800", []],
    ["the end of a name and the start of a hint together", "usagk", []],
  ])("%s finds the keys that contain it", async (_, search, expected) => {
    expect(await namesWith(search)).toEqual(expected);
  });

  test("a hint finds its key, even in part or in another case", async () => {
    for (const search of [hint, hint.slice(8), hint.toUpperCase()]) {
      expect(await namesWith(search)).toEqual(["the hinted one"]);
    }
  });

  test("a blank search finds all keys, like no search", async () => {
    const all = await namesWith(null);
    expect(all).toEqual(expect.arrayContaining(NAMES));
    for (const search of ["", "  "]) expect(await namesWith(search)).toEqual(all);
  });

  test("a search can be combined with the other filters and with paging", async () => {
    expect(await namesWith("billing", { state: "revoked" })).toEqual(["billing of old"]);
    const first = await page({ search: "billing", first: 2 });
    expect(first.nodes).toHaveLength(2);
    const rest = await page({ search: "billing", first: 2, after: first.pageInfo.endCursor });
    expect(rest.nodes).toEqual([{ name: "Billing EU" }]);
  });

  test("a renamed key is found only by its new name", async () => {
    const { id } = await mint(gateway, { name: "before" });
    await apiKeyClient(gateway).update(id, { name: "After" });
    expect([await namesWith("before"), await namesWith("after")]).toEqual([[], ["After"]]);
  });

  test("a search of more than 100 characters is rejected", async () => {
    const ask = (search: string) => gateway.graphql(LIST, { search }, { token: gateway.owner });
    expect(codeOf(await ask("é".repeat(100)))).toBeUndefined();
    expect(codeOf(await ask("é".repeat(101)))).toBe("invalid_request");
  });
});
