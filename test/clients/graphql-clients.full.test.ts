import { sqlite } from "../support/engines";
import { mint, operator } from "../support/gateway";
import { suiteGateway } from "../support/suite";
import { CLIENTS, type Seen } from "./clients";

const UNKNOWN_ID = "01a1fcd2-254e-77bb-8319-2e26d1494ad2";
const ADD = "mutation Add($input: CreatePetInput!) { createPet(input: $input) { id name } }";
const LIST = "query List($first: Int) { pets(first: $first) { nodes { id name categoryId } } }";

describe.each(CLIENTS)("%s, queries by %s", (_, queriesBy, create) => {
  const gateway = suiteGateway(sqlite);
  const clientWith = (token: string | null) =>
    create(`${gateway.url}/graphql`, token === null ? {} : { authorization: `Bearer ${token}` });

  /** Returns the number of requests since the server's start, by method. */
  const methods = () => {
    const lines = gateway
      .log()
      .split("\n")
      .filter((line) => line.includes('"route":"/graphql"'));
    return lines.map((line) => JSON.parse(line).method as string);
  };

  test("adds a pet and lists it, with an ID that is never rounded", async () => {
    const client = clientWith(gateway.key);
    const categoryId = "9223372036854775807";
    const before = methods().length;
    const added = await client.mutate(ADD, { input: { name: "Rex", categoryId } });
    expect(added).toMatchObject({ codes: [], data: { createPet: { name: "Rex" } } });
    const listed = await client.query(LIST, { first: 10 });
    expect(listed.codes).toEqual([]);
    expect(listed.data.pets.nodes).toEqual([
      expect.objectContaining({ id: added.data.createPet.id, name: "Rex", categoryId }),
    ]);
    expect(methods().slice(before)).toEqual(["POST", queriesBy]);
  });

  test("reads the code of each error, even if every field failed", async () => {
    const client = clientWith(gateway.key);
    const unscoped = clientWith((await mint(gateway, { scopes: ["messages:write"] })).secret);
    const owner = clientWith(gateway.owner);
    const seen = [
      await client.query("{ members { email } }"),
      await unscoped.query(LIST),
      await unscoped.mutate(ADD, { input: { name: "Rex", categoryId: 1 } }),
      await client.query('{ pets(after: "x") { nodes { id } } }'),
      await client.query("{ hats }"),
      await client.query("query ($id: ID!) { pet(id: $id) { id } }", { id: {} }),
      await client.mutate(ADD, { input: { name: "", categoryId: 1 } }),
      await owner.mutate(`mutation { revokeApiKey(input: { id: "${UNKNOWN_ID}" }) { id } }`),
    ];
    expect(seen.map(({ codes, status }) => ({ codes, status }))).toEqual(
      [
        "forbidden",
        "insufficient_scope",
        "insufficient_scope",
        "invalid_cursor",
        "graphql_validation_failed",
        "invalid_request",
        "invalid_request",
        "not_found",
      ].map((code) => ({ codes: [code], status: undefined })),
    );
  });

  test("recognizes a dead or missing credential by the code or the status", async () => {
    const { id, secret } = await mint(gateway);
    await gateway.services.keys.revoke(await operator(gateway), id);
    const known = ({ codes, status }: Seen) => codes[0] ?? status;
    expect(["key_revoked", 403]).toContain(known(await clientWith(secret).query(LIST)));
    expect(["invalid_api_key", 401]).toContain(known(await clientWith("wrong").query(LIST)));
    const missing = await clientWith(null).mutate(ADD, { input: { name: "Rex", categoryId: 1 } });
    expect(["unauthenticated", 401]).toContain(known(missing));
  });
});
