import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { sqlite } from "../support/engines";
import { installPackages } from "../support/install-packages";
import { suiteGateway } from "../support/suite";

const FOLDER = "test/clients/typed";

describe("schema.graphql", () => {
  const gateway = suiteGateway(sqlite);
  // biome-ignore lint/suspicious/noExplicitAny: the results of the tools, which the tests check
  let results: any;

  beforeAll(async () => {
    await installPackages(FOLDER);
    for (const message of ["one", "two"]) await gateway.rest("POST", "/messages", { body: { message } });
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [`${FOLDER}/run.mjs`, gateway.url, gateway.key],
      { maxBuffer: 10_000_000 },
    );
    results = JSON.parse(stdout.split("\n").at(-1) ?? "");
  }, 300_000);

  test("is accepted by Relay's compiler, with connections that are refetched from Query", () => {
    expect(results.relay).toEqual(
      ["ConversationList", "EventList", "MessageList", "PetList"].map(
        (name) => `${name}PaginationQuery.graphql.ts`,
      ),
    );
  });

  test("gives Apollo Client types through the client preset, and its cache merges pages", () => {
    expect(results.apollo).toEqual({
      ...{ created: "Apollo", pets: 1, total: 1, isExact: true },
      types: ["configuration_published", "message_queued"],
    });
  });

  test("gives urql types through gql.tada", () => {
    expect(results.urql).toEqual({
      ...{ created: "urql", pets: 2, total: 2, isExact: true },
      types: ["message_queued", "message_queued"],
    });
  });

  test("has no graphql-eslint findings that the documentation does not explain", () => {
    expect(results.lint).toEqual([]);
  });
});
