import { postgres } from "../support/engines";
import { type Ended, endProcesses, runCli, spawnCli } from "../support/process";
import { describeGateway } from "../support/suite";

describeGateway((gateway, engine) => {
  afterEach(endProcesses);

  const run = engine === postgres ? spawnCli : runCli;
  const cli = (...args: string[]): Promise<Ended> => run(gateway.databaseUrl, ["lines", ...args]);
  const OF_FIRST = ["--agent", "first-agent"];

  /** Runs a command that must succeed. @returns the one JSON document that it prints */
  async function json(...args: string[]) {
    const { code, stdout, stderr } = await cli(...args, ...OF_FIRST, "--json");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^[^\n]+\n$/);
    return JSON.parse(stdout);
  }

  test("lines are created, paused, resumed, made the default and archived", async () => {
    const alerts = await json("create", "--name", "alerts", "--rate", "30", "--expire-after", "600");
    expect(alerts).toMatchObject({ name: "alerts", kind: "local", state: "active", isDefault: false });
    expect(alerts).toMatchObject({ ratePerMinute: 30, expireAfterSeconds: 600 });
    expect(await json("pause", "alerts", "--reason", "maintenance")).toMatchObject({
      state: "paused",
      pausedReason: "maintenance",
    });
    expect(await json("resume", alerts.id)).toMatchObject({ state: "active", pausedReason: null });
    expect(await json("set-default", "alerts")).toMatchObject({ isDefault: true });
    expect(await json("archive", "main")).toMatchObject({ state: "archived", isDefault: false });
    expect(await json("list")).toMatchObject([{ name: "alerts" }, { name: "main", state: "archived" }]);
    const { stdout } = await cli("list", ...OF_FIRST);
    expect(stdout).toMatch(/^NAME +KIND +STATE/);
    expect(stdout).toContain("alerts");
    expect((await cli("resume", "main", ...OF_FIRST)).stdout).toBe("The line main is active.\n");
  });

  test.each([
    [2, ["create", "--name", "Not A Slug", ...OF_FIRST], "name must be"],
    [1, ["create", "--name", "main", ...OF_FIRST], 'already has a line "main"'],
    [2, ["create", "--name", "fast", "--rate", "0", ...OF_FIRST], "--rate"],
    [1, ["pause", "nowhere", ...OF_FIRST], 'There is no line "nowhere".'],
    [1, ["list", "--agent", "unknown"], 'There is no agent "unknown".'],
    [2, ["list"], "--agent"],
  ])("exit code %d in one line: %j", async (exitCode, args, says) => {
    const { code, stdout, stderr } = await cli(...args);
    expect({ code, stdout }).toEqual({ code: exitCode, stdout: "" });
    expect(stderr).toMatch(/^gateway: [^\n]+\n$/);
    expect(stderr).toContain(says);
  });
});
