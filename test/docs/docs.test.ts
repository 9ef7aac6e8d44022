import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { promisify } from "node:util";
import type { GraphQLField } from "graphql";
import { ERRORS } from "../../src/errors";
import { retentionOf } from "../../src/features";
import { createSchema } from "../../src/graphql/schema";
import { accessOf } from "../../src/schema/access";
import { isReport } from "../../src/schema/report";
import { version } from "../../src/version";
import { publish } from "../support/decisions";
import { sqlite } from "../support/engines";
import { mintForOrganization } from "../support/gateway";
import { firstAgentId } from "../support/people";
import { suiteGateway } from "../support/suite";
import { brokenLinks, configurationsIn, examples, PAGES, read, section } from "./markdown";
import { isInRepository, pathsIn } from "./paths";
import { syntaxFaults } from "./syntax";

const WITH_EXAMPLES = PAGES.filter((page) => examples(read(page)).length > 0);

test("the README and the page of each API show the actual responses", () => {
  expect(WITH_EXAMPLES).toEqual(expect.arrayContaining(["README.md", "docs/graphql.md", "docs/rest.md"]));
});

test("the README is short", () => {
  expect(read("README.md").length).toBeLessThanOrEqual(8_192);
});

describe.each(WITH_EXAMPLES)("%s", (page) => {
  const gateway = suiteGateway(sqlite);

  test("shows what its curl examples print, except for IDs and times", async () => {
    const [configuration] = configurationsIn(read(page));
    if (configuration !== undefined) await publish(gateway, await firstAgentId(gateway), configuration);
    const { secret } = await mintForOrganization(gateway);
    // Runs in order, because an earlier example adds a pet that a later one lists.
    let contact = "";
    for (const { command, output } of examples(read(page))) {
      const here = command.replaceAll("http://127.0.0.1:4000", gateway.url);
      const { stdout } = await promisify(execFile)("sh", ["-c", here], {
        env: { ...process.env, KEY: gateway.key, ORGANIZATION_KEY: secret, CONTACT: contact },
      });
      const printed = JSON.parse(stdout);
      expect(withoutNoise(printed)).toEqual(withoutNoise(JSON.parse(output)));
      if (command.includes("/agent/contacts ")) contact = printed.id;
    }
  });
});

test.each(PAGES)("%s has only examples in a known language and with valid syntax", async (page) => {
  expect(await syntaxFaults(page)).toEqual([]);
});

test.each(PAGES)("%s has no broken link", (page) => {
  expect(brokenLinks(page)).toEqual([]);
});

test("the lock file and the first section of the changelog have the version in package.json", () => {
  const lock = JSON.parse(read("package-lock.json"));
  expect([lock.version, lock.packages[""].version]).toEqual([version, version]);
  const [, changes] = /^## \[?(\d+\.\d+\.\d+)/m.exec(read("CHANGELOG.md")) ?? [];
  expect(changes).toBe(version.replace(/-.*/, ""));
});

test.each(["docs/architecture.md", ".github/CONTRIBUTING.md"])("%s names only paths that exist", (page) => {
  const paths = pathsIn(read(page));
  expect(paths.length).toBeGreaterThan(3);
  expect(paths.filter((path) => !isInRepository(path))).toEqual([]);
});

describe("the documentation", () => {
  const gateway = suiteGateway(sqlite);

  test("has a row for each code of the error table, with its status, and no other", () => {
    const rows = [...read("docs/errors.md").matchAll(/^\| `(\w+)` \| (\d{3}) \|/gm)].map(
      ([, code, status]) => [code, Number(status)],
    );
    expect(Object.fromEntries(rows)).toEqual(
      Object.fromEntries(Object.entries(ERRORS).map(([code, { status }]) => [code, status])),
    );
  });

  test.each<[string, string, RegExp, (field: GraphQLField<unknown, unknown>) => boolean]>([
    [
      "open to callers without a credential",
      "## A hidden schema",
      /other than (.*?) is\s+rejected/s,
      (field) => accessOf(field)?.allowed === "anyone",
    ],
    ["that count as reports", "## Limits", /reports that may read many rows \((.*?)\)/, isReport],
  ])("lists exactly the GraphQL fields %s", (_, heading, list, isListed) => {
    const [, names = ""] = list.exec(section(read("docs/graphql.md"), heading)) ?? [];
    const listed = names.match(/(?<=`)[a-z]\w+(?=`)/g) ?? [];
    const schema = createSchema();
    const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
    const fields = roots.flatMap((root) => Object.values(root?.getFields() ?? {}));
    expect(listed.sort()).toEqual(
      fields
        .filter(isListed)
        .map(({ name }) => name)
        .sort(),
    );
  });

  test("has a row for each metric of the service, and no other", async () => {
    const { text } = await gateway.rest("GET", "/metrics", { token: null });
    const metrics = [...text.matchAll(/^# TYPE (gateway_\w+) /gm)].map(([, name]) => name);
    const documented = [...read("docs/observability.md").matchAll(/^\| `(gateway_\w+)` \|/gm)].map(
      ([, name]) => name,
    );
    // Registered once per process, or by a supervisor of several workers, so this gateway lacks them.
    const others = [
      "gateway_event_loop_busy_seconds_total",
      "gateway_workers",
      "gateway_worker_deaths_total",
    ];
    expect(documented.sort()).toEqual([...metrics, ...others].sort());
  });

  test("has a row for each setting, and no other", () => {
    const settings = [...read("src/config.ts").matchAll(/^ {4}([A-Z][A-Z_]+): /gm)].map(([, name]) => name);
    const known = [...settings, ...Object.keys(retentionOf({ retention: {} }))];
    const documented = [...read("docs/configuration.md").matchAll(/^\| (`[^|]+`) \|/gm)].flatMap(
      ([, names]) => names?.match(/[A-Z][A-Z_]+/g) ?? [],
    );
    expect(documented.sort()).toEqual(known.sort());
  });

  test("refers to existing suites for each security promise", () => {
    const promises = [
      ...section(read(".github/SECURITY.md"), "## Promises").matchAll(/^\| [^|]+ \| (`[^|]+`) \|$/gm),
    ];
    expect(promises.length).toBeGreaterThanOrEqual(14);
    const suites = promises.flatMap(([, names]) => names?.match(/[\w/.-]+/g) ?? []);
    const missing = suites.filter(
      (name) => !existsSync(`test/${name}.test.ts`) && !existsSync(`test/${name}`),
    );
    expect(missing).toEqual([]);
  });
});

/** Returns the value with a placeholder for each ID, time and key. */
function withoutNoise(value: unknown): unknown {
  const text = JSON.stringify(value)
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "<uuid>")
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>")
    .replace(/agk_dev_[0-9A-Za-z]{12}/g, "<hint>");
  return JSON.parse(text);
}
