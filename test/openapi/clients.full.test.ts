import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { read, section } from "../docs/markdown";
import { sqlite } from "../support/engines";
import { installPackages } from "../support/install-packages";
import { suiteGateway } from "../support/suite";

const FOLDER = "test/openapi/clients";
const GENERATED = ["openapi-fetch", "hey-api", "orval"];
/** The integer that many parsers round to 9223372036854776000. */
const LARGEST = "9223372036854775807";

/** Variants of exact-json.js, by the version of Node.js that they need. */
const VARIANTS: [name: string, minNode: number][] = [
  ["lossless-json", 20],
  ["JSON.rawJSON", 22],
];

/** Returns the documentation's JavaScript by file name, with one variant of exact-json.js. */
function examplesWith(variant: string): Map<string, string> {
  const fences = [
    ...section(read("docs/rest.md"), "## Exact integers in JavaScript").matchAll(
      /```js\n\/\/ (\S+)\n(.*?)```/gs,
    ),
  ];
  const files = new Map<string, string>();
  for (const [, name = "", code = ""] of fences) {
    if (name !== "exact-json.js" || code.includes(variant)) files.set(name, code);
  }
  return files;
}

describe.each(VARIANTS)("generated REST clients and the examples with %s", (variant, minNode) => {
  const gateway = suiteGateway(sqlite);
  const isSupported = Number(process.versions.node.split(".")[0]) >= minNode;
  // biome-ignore lint/suspicious/noExplicitAny: the clients' results, which the tests check
  let results: any;

  beforeAll(async () => {
    if (!isSupported) return;
    await installPackages(FOLDER);
    const examples = await mkdtemp(join(tmpdir(), "gateway-test-"));
    for (const [name, code] of examplesWith(variant)) {
      await writeFile(join(examples, name), code.replaceAll("http://127.0.0.1:4000", gateway.url));
    }
    const run = promisify(execFile)(
      process.execPath,
      [`${FOLDER}/run.mjs`, gateway.url, gateway.key, examples],
      { maxBuffer: 10_000_000 },
    );
    run.child.stdin?.end((await gateway.rest("GET", "/openapi.json")).text);
    const { stdout } = await run;
    results = JSON.parse(stdout.split("\n").at(-1) ?? "");
    await rm(examples, { recursive: true });
  }, 300_000);

  const whereSupported = isSupported ? test : test.skip;

  whereSupported.each(GENERATED)("%s type-checks, creates, lists and reads an error", (client) => {
    expect(results[client]).toEqual({
      created: "Rex",
      status: null,
      listed: [{ id: expect.any(Number), name: "Rex" }],
      code: "not_found",
    });
  });

  whereSupported.each(["fetch.js", "openapi-fetch.js", "hey-api.js"])(
    "%s of the documentation writes and reads the largest integer exactly",
    async (name) => {
      expect(results[name]).toBe(`${LARGEST}n ${LARGEST}n\n`);
      const { text } = await gateway.rest("GET", "/v1/pets?limit=100");
      expect(text).toContain(`"name":"${name}","categoryId":${LARGEST}`);
    },
  );
});
