import fs from "node:fs";
import { chmod, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { InstanceKey } from "../../src/credentials/instance-key";
import { createKeyFile } from "../../src/credentials/instance-key-file";
import { sqlite } from "../support/engines";
import { depend, withServices } from "../support/instance-key";
import { databaseForEach, endProcesses, runCli, runServer, startServer } from "../support/process";

afterEach(endProcesses);

const KEY = Buffer.alloc(32, 7).toString("base64");

describe("the embedded database without INSTANCE_KEY", () => {
  const database = databaseForEach(sqlite, { empty: true });
  const keyFile = () => `${database.url.slice("sqlite:".length)}.key`;

  test("gets a key at the first start, which later starts keep and never print", async () => {
    const first = await (await startServer({ DATABASE_URL: database.url, LOG_LEVEL: "trace" })).stop();
    const text = await readFile(keyFile(), "utf8");
    expect(InstanceKey.parse(text.trim())).toBeInstanceOf(InstanceKey);
    expect((await stat(keyFile())).mode & 0o777).toBe(0o600);
    await depend({ DATABASE_URL: database.url });
    const second = await (await startServer({ DATABASE_URL: database.url, LOG_LEVEL: "trace" })).stop();
    expect(await readFile(keyFile(), "utf8")).toBe(text);
    for (const { stdout, stderr } of [first, second]) expect(stdout + stderr).not.toContain(text.trim());
  });

  test("never gets another key while something depends on the lost one, until it is replaced", async () => {
    await depend({ DATABASE_URL: database.url });
    const lost = await readFile(keyFile(), "utf8");
    await rm(keyFile());
    await withServices({ DATABASE_URL: database.url }, async ({ instanceKey }) =>
      expect(await instanceKey.open()).toContain(keyFile()),
    );
    await expect(stat(keyFile())).rejects.toThrow("ENOENT");
    await expect(depend({ DATABASE_URL: database.url })).rejects.toMatchObject({ code: "conflict" });
    expect(await runCli(database.url, ["instance-key", "replace"])).toMatchObject({ code: 0, stderr: "" });
    const made = await readFile(keyFile(), "utf8");
    expect(made).not.toBe(lost);
    await depend({ DATABASE_URL: database.url });
    const again = await runCli(database.url, ["instance-key", "replace"]);
    expect(again).toMatchObject({ code: 1, stdout: "" });
    await writeFile(keyFile(), lost);
    const { code, stderr } = await runServer({ DATABASE_URL: database.url });
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^gateway: the instance key in [^\n]+ is not the key that the database depends on[^\n]*\n$/,
    );
    for (const text of [lost, made]) expect(stderr).not.toContain(text.trim());
  });

  test.each([
    ["nothing", ""],
    ["a long text", "A".repeat(10_000)],
    ["another text", "hunter2\n"],
  ])("cannot be used with %s in its key file, which is not shown", async (_, text) => {
    await depend({ DATABASE_URL: database.url });
    await writeFile(keyFile(), text);
    await withServices({ DATABASE_URL: database.url }, async ({ instanceKey }) => {
      const opening = instanceKey.open();
      await expect(opening).rejects.toThrow(`cannot use the instance key in ${keyFile()}`);
      await expect(opening).rejects.not.toThrow(/hunter2|AAA/);
    });
  });

  test("prefers INSTANCE_KEY to the file, which is then not created", async () => {
    await depend({ DATABASE_URL: database.url, INSTANCE_KEY: KEY });
    await withServices({ DATABASE_URL: database.url, INSTANCE_KEY: KEY }, ({ instanceKey }) =>
      instanceKey.open(),
    );
    await expect(stat(keyFile())).rejects.toThrow("ENOENT");
  });

  test("serves without a key if the key file cannot be created, and warns", async () => {
    const link = jest.spyOn(fs, "linkSync").mockImplementation(() => {
      throw Object.assign(new Error("operation not permitted"), { code: "EPERM" });
    });
    try {
      await withServices({ DATABASE_URL: database.url }, async ({ instanceKey }) => {
        expect(await instanceKey.open()).toContain("operation not permitted");
        await expect(instanceKey.current()).rejects.toMatchObject({ code: "conflict" });
      });
    } finally {
      link.mockRestore();
    }
    expect((await readdir(dirname(keyFile()))).filter((name) => /key|unfinished/.test(name))).toEqual([]);
    await depend({ DATABASE_URL: database.url });
  });

  test("gets the same key from all processes that create its file concurrently", async () => {
    const folder = dirname(keyFile());
    await chmod(folder, 0o700);
    // The slower process finds the file only when it links its own.
    const first = createKeyFile(keyFile());
    expect(createKeyFile(keyFile()).checkValue).toBe(first.checkValue);
    expect(await readdir(folder)).toEqual(["gateway.sqlite.key"]);
  });
});
