import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { parse } from "yaml";
import { read } from "../docs/markdown";
import { mint, mintForOrganization } from "../support/gateway";
import { outcomeOf } from "../support/keys";
import { describeGateway } from "../support/suite";

interface Workflow {
  jobs: Record<string, { defaults: { run: { shell: string } }; steps: { run?: string; uses?: string }[] }>;
}

const DAY_MS = 86_400_000;
const inDays = (days: number) => new Date(Date.now() + days * DAY_MS);

describeGateway({ engine: "any" }, (gateway) => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "gateway-test-"));
    const bin = join(folder, "node_modules/.bin");
    await mkdir(bin, { recursive: true });
    const program = async (name: string, script: string) => {
      await writeFile(join(bin, name), `#!/bin/sh\n${script}\n`);
      await chmod(join(bin, name), 0o755);
    };
    // The package is already installed.
    await program("npm", '[ "$*" = "install agent-petstore-gateway" ]');
    await program("gateway", `exec "${process.execPath}" "${resolve("dist/src/cli/main.js")}" "$@"`);
    await program("gh", '[ "$1 $2" = "secret set" ] && cat > "$3"');
    const document = { format: 1, templates: { hello: "Hello" } };
    await writeFile(join(folder, "agent.json"), JSON.stringify(document));
  });
  afterAll(() => rm(folder, { recursive: true }));

  test("the documented pipeline publishes, replaces the agent's key and exports the audit log", async () => {
    const pipeline = await mintForOrganization(gateway, {
      name: "pipeline",
      scopes: ["configuration:publish", "keys:manage", "audit:read"],
      allowedNetworks: null,
      expiresAt: inDays(90),
    });
    const shop = await mint(gateway, { name: "shop", scopes: ["messages:write"], expiresAt: inDays(60) });
    const [, yaml = ""] = /```yaml\n(jobs:\n.*?)```/s.exec(read("docs/cli.md")) ?? [];
    const { publish } = (parse(yaml) as Workflow).jobs;
    expect(publish?.defaults.run.shell).toBe("bash");
    const steps = publish?.steps.flatMap(({ run }) => run ?? []) ?? [];
    expect(steps).toHaveLength(5);
    const { PATH = "" } = process.env;
    const env = {
      PATH: [join(folder, "node_modules/.bin"), dirname(process.execPath), PATH].join(delimiter),
      HOME: folder,
      GATEWAY_URL: gateway.url,
      GATEWAY_KEY: pipeline.secret,
      GITHUB_SHA: "0123abc",
    };
    for (const step of steps)
      await promisify(execFile)("bash", ["-eo", "pipefail", "-c", step], { cwd: folder, env });

    const { body } = await gateway.rest("GET", "/agent/configuration");
    expect(body).toMatchObject({ version: 2, publishedBy: pipeline.hint });
    expect(await readFile(join(folder, "tests.xml"), "utf8")).toContain("<testsuite");
    const secret = await readFile(join(folder, "AGENT_KEY"), "utf8");
    expect(secret).not.toBe(shop.secret);
    expect(await outcomeOf(gateway, secret)).toBe("accepted");
    expect(await outcomeOf(gateway, shop.secret)).toBe("accepted");
    const entries = JSON.parse(await readFile(join(folder, "audit.json"), "utf8"));
    const actions = entries.map(({ action }: { action: string }) => action);
    expect(actions.slice(0, 3)).toEqual(["api_key_created", "api_key_rotated", "configuration_published"]);
  }, 300_000);
});
