import { sqlite } from "../support/engines";
import { suiteGateway } from "../support/suite";

describe.each<[string, string, Record<string, string>]>([
  ["a path without PUBLIC_URL", "", {}],
  ["absolute with PUBLIC_URL", "https://gateway.example.com", { PUBLIC_URL: "https://gateway.example.com" }],
  ["below the path of PUBLIC_URL", "https://example.com/api", { PUBLIC_URL: "https://example.com/api/" }],
])("an address in Link is %s", (_, prefix, env) => {
  const gateway = suiteGateway(sqlite, { env });
  beforeAll(async () => {
    for (const name of ["Rex", "Bo"]) {
      await gateway.rest("POST", "/v1/pets", { body: { name, categoryId: 1, status: "sold" } });
    }
  });

  test("for the next page", async () => {
    const first = await gateway.rest("GET", "/v1/pets?limit=1&status=sold");
    const [, address = ""] = /^<([^>]+)>; rel="next"$/.exec(first.headers.get("link") ?? "") ?? [];
    expect(address.startsWith(`${prefix}/v1/pets?limit=1&status=sold&cursor=`)).toBe(true);
    const next = await gateway.rest("GET", address.slice(prefix.length));
    expect(next.body.map(({ name }: { name: string }) => name)).toEqual(["Bo"]);
  });

  test("for the successor of a deprecated route and its documentation, including on an error", async () => {
    for (const id of ["1", "404", "x"]) {
      const { headers } = await gateway.rest("GET", `/v1/pets/${id}`);
      expect(headers.get("link")).toBe(
        `<${prefix}/v1/pets>; rel="successor-version", <${prefix}/docs#?route=get-/v1/pets/-petId->; rel="deprecation"; type="text/html"`,
      );
    }
  });
});
