import fs from "node:fs";
import { chmod, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import pino from "pino";
import { loadConfig } from "../../src/config";
import { InstanceKey } from "../../src/credentials/instance-key";
import { createKeyFile } from "../../src/credentials/instance-key-file";
import { Database } from "../../src/database/database";
import { createDataSource, createServices, type Services } from "../../src/features";
import { onEachEngine, sqlite } from "../support/engines";
import { databaseForEach, endProcesses, runCli, runServer, startServer } from "../support/process";

afterEach(endProcesses);

const KEY = Buffer.alloc(32, 7).toString("base64");
const OTHER_KEY = Buffer.alloc(32, 8).toString("base64");

/** Works with the services of a process that has these settings. */
async function withServices<T>(
  env: Record<string, string>,
  work: (services: Services) => Promise<T>,
): Promise<T> {
  const config = loadConfig(env);
  const database = await Database.open(createDataSource(config.databaseUrl));
  try {
    await database.migrate();
    return await work(createServices({ database, config, log: pino({ level: "silent" }) }));
  } finally {
    await database.close();
  }
}

/** Makes the database depend on the key of these settings. */
const depend = (env: Record<string, string>) =>
  withServices(env, ({ database, instanceKey }) =>
    database.write(async (tx) => void (await instanceKey.required(tx))),
  );

onEachEngine((engine) => {
  const place = databaseForEach(engine);

  test("a start with another key than the database depends on ends with one line, and with the right one it serves", async () => {
    const env = { DATABASE_URL: place.url, INSTANCE_KEY: KEY };
    await depend(env);
    const { code, stdout, stderr } = await runServer({ ...env, INSTANCE_KEY: OTHER_KEY });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^gateway: INSTANCE_KEY is not the key that the database depends on[^\n]*\n$/);
    for (const key of [KEY, OTHER_KEY]) expect(stderr).not.toContain(key);
    const server = await startServer(env);
    const ended = await server.stop();
    expect(ended.stdout + ended.stderr).not.toContain(KEY);
    expect(ended.stderr).not.toContain("instance key");
  });

  test("without the key that the database depends on, a server warns and starts, and what needs the key is refused", async () => {
    await depend({ DATABASE_URL: place.url, INSTANCE_KEY: KEY });
    const server = await startServer({ DATABASE_URL: place.url });
    const { stderr } = await server.stop();
    expect(stderr).toContain("The instance key is missing: set INSTANCE_KEY");
    await withServices({ DATABASE_URL: place.url }, async ({ database, instanceKey }) => {
      const refusal = { code: "conflict", message: expect.stringContaining("INSTANCE_KEY") };
      await expect(instanceKey.current()).rejects.toMatchObject(refusal);
      await expect(database.write((tx) => instanceKey.required(tx))).rejects.toMatchObject(refusal);
    });
  });

  test("of processes with different keys the first one to need a key wins, and the others are refused", async () => {
    const use = (key: string) =>
      depend({ DATABASE_URL: place.url, INSTANCE_KEY: key }).then(
        () => "used",
        (error) => error.message as string,
      );
    await withServices(
      { DATABASE_URL: place.url, INSTANCE_KEY: OTHER_KEY },
      async ({ database, instanceKey }) => {
        // Opened while the database depended on no key.
        expect(await instanceKey.open()).toBeUndefined();
        expect(await use(KEY)).toBe("used");
        await expect(database.write((tx) => instanceKey.required(tx))).rejects.toMatchObject({
          code: "conflict",
        });
      },
    );
    expect(await use(KEY)).toBe("used");
    expect(await use(OTHER_KEY)).toContain("is not the key that the database depends on");
  });

  test("a unit of work that fails leaves the database without a key that it depends on", async () => {
    const env = { DATABASE_URL: place.url, INSTANCE_KEY: KEY };
    await withServices(env, async ({ database, instanceKey }) => {
      const unit = database.write(async (tx) => {
        await instanceKey.required(tx);
        throw new Error("later");
      });
      await expect(unit).rejects.toThrow("later");
    });
    await depend({ ...env, INSTANCE_KEY: OTHER_KEY });
  });

  test("a lost key is replaced, once, by the command line", async () => {
    const env = { DATABASE_URL: place.url, INSTANCE_KEY: KEY };
    await depend({ ...env, INSTANCE_KEY: OTHER_KEY });
    await withServices(env, async ({ instanceKey }) => {
      await instanceKey.replace();
      await expect(instanceKey.current()).resolves.toBeInstanceOf(InstanceKey);
      await expect(instanceKey.replace()).rejects.toMatchObject({ code: "conflict" });
    });
    await depend(env);
    await expect(depend({ ...env, INSTANCE_KEY: OTHER_KEY })).rejects.toThrow("is not the key");
  });
});

describe("the embedded database without INSTANCE_KEY", () => {
  const place = databaseForEach(sqlite);
  const keyFile = () => `${place.url.slice("sqlite:".length)}.key`;

  test("gets a key at the first start, which later starts keep and nothing prints", async () => {
    const first = await (await startServer({ DATABASE_URL: place.url, LOG_LEVEL: "trace" })).stop();
    const text = await readFile(keyFile(), "utf8");
    expect(InstanceKey.parse(text.trim())).toBeInstanceOf(InstanceKey);
    expect((await stat(keyFile())).mode & 0o777).toBe(0o600);
    await depend({ DATABASE_URL: place.url });
    const second = await (await startServer({ DATABASE_URL: place.url, LOG_LEVEL: "trace" })).stop();
    expect(await readFile(keyFile(), "utf8")).toBe(text);
    for (const { stdout, stderr } of [first, second]) expect(stdout + stderr).not.toContain(text.trim());
  });

  test("has one key, also when servers start concurrently", async () => {
    const servers = await Promise.all([1, 2].map(() => startServer({ DATABASE_URL: place.url })));
    await Promise.all(servers.map((server) => server.stop()));
    const names = await readdir(dirname(keyFile()));
    expect(names.filter((name) => /key|unfinished/.test(name))).toEqual(["gateway.sqlite.key"]);
  });

  test("never gets another key while something depends on the lost one, until it is replaced", async () => {
    await depend({ DATABASE_URL: place.url });
    const lost = await readFile(keyFile(), "utf8");
    await rm(keyFile());
    const server = await startServer({ DATABASE_URL: place.url });
    expect((await server.stop()).stderr).toContain(keyFile());
    await expect(stat(keyFile())).rejects.toThrow("ENOENT");
    await expect(depend({ DATABASE_URL: place.url })).rejects.toMatchObject({ code: "conflict" });
    expect(await runCli(place.url, ["instance-key", "replace"])).toMatchObject({ code: 0, stderr: "" });
    const made = await readFile(keyFile(), "utf8");
    expect(made).not.toBe(lost);
    await depend({ DATABASE_URL: place.url });
    const again = await runCli(place.url, ["instance-key", "replace"]);
    expect(again).toMatchObject({ code: 1, stdout: "" });
    await writeFile(keyFile(), lost);
    const { code, stderr } = await runServer({ DATABASE_URL: place.url });
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^gateway: the instance key in [^\n]+ is not the key that the database depends on[^\n]*\n$/,
    );
    for (const text of [lost, made]) expect(stderr).not.toContain(text.trim());
  });

  test.each(["", "hunter2\n", "A".repeat(10_000)])(
    "does not start with %j in the file of its key",
    async (text) => {
      await depend({ DATABASE_URL: place.url });
      await writeFile(keyFile(), text);
      const { code, stderr } = await runServer({ DATABASE_URL: place.url });
      expect(code).toBe(1);
      expect(stderr).toMatch(/^gateway: the instance key in [^\n]+ cannot be used[^\n]*\n$/);
      expect(stderr).not.toContain("hunter2");
    },
  );

  test("prefers INSTANCE_KEY to the file, which is then not created", async () => {
    await depend({ DATABASE_URL: place.url, INSTANCE_KEY: KEY });
    await (await startServer({ DATABASE_URL: place.url, INSTANCE_KEY: KEY })).stop();
    await expect(stat(keyFile())).rejects.toThrow("ENOENT");
  });

  test("serves without a key where its file cannot be created, and warns", async () => {
    const link = jest.spyOn(fs, "linkSync").mockImplementation(() => {
      throw Object.assign(new Error("operation not permitted"), { code: "EPERM" });
    });
    try {
      await withServices({ DATABASE_URL: place.url }, async ({ instanceKey }) => {
        expect(await instanceKey.open()).toContain("operation not permitted");
        await expect(instanceKey.current()).rejects.toMatchObject({ code: "conflict" });
      });
    } finally {
      link.mockRestore();
    }
    expect((await readdir(dirname(keyFile()))).filter((name) => /key|unfinished/.test(name))).toEqual([]);
    await depend({ DATABASE_URL: place.url });
  });

  test("gets the same key from all that create its file concurrently", async () => {
    const folder = dirname(keyFile());
    await chmod(folder, 0o700);
    // The loser of the race finds the file only when it links its own.
    const first = createKeyFile(keyFile());
    expect(createKeyFile(keyFile()).checkValue).toBe(first.checkValue);
    expect(await readdir(folder)).toEqual(["gateway.sqlite.key"]);
  });
});
