import { execFileSync } from "node:child_process";
import { sqlite } from "../support/engines";
import { suiteGateway } from "../support/suite";

describe("the contract", () => {
  const gateway = suiteGateway(sqlite);

  test("and schema.graphql are accepted by the usual client generators", async () => {
    const { text } = await gateway.rest("GET", "/openapi.json", { token: null });
    const output = execFileSync(
      process.execPath,
      ["test/openapi/generators/generate.mjs", "schema.graphql"],
      { input: text, maxBuffer: 10_000_000 },
    );
    const types = JSON.parse(output.toString());
    expect(types.openapi).toContain("createPet: {");
    expect(types.openapi).toMatch(/categoryId: number;/);
    expect(types.graphql).toContain("export type Pet = {");
  });
});
