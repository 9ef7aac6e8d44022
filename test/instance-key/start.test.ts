import { InstanceKey } from "../../src/credentials/instance-key";
import { onOneEngine } from "../support/engines";
import { depend, withServices } from "../support/instance-key";
import { databaseForEach, endProcesses, runServer, startServer } from "../support/process";
import { slowTest } from "../support/slow-test";

afterEach(endProcesses);

const KEY = Buffer.alloc(32, 7).toString("base64");
const OTHER_KEY = Buffer.alloc(32, 8).toString("base64");

onOneEngine((engine) => {
  const testDatabase = databaseForEach(engine);

  slowTest(
    "a start with a key other than the database's ends with one line, and with the right key it serves",
    async () => {
      const env = { DATABASE_URL: testDatabase.url, INSTANCE_KEY: KEY };
      await depend(env);
      const { code, stdout, stderr } = await runServer({ ...env, INSTANCE_KEY: OTHER_KEY });
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      expect(stderr).toMatch(/^gateway: INSTANCE_KEY is not the key that the database depends on[^\n]*\n$/);
      for (const key of [KEY, OTHER_KEY]) expect(stderr).not.toContain(key);
      const server = await startServer(env);
      const ended = await server.stop();
      expect(ended.stdout + ended.stderr).not.toContain(KEY);
      expect(ended.stderr).not.toContain("instance key");
    },
  );

  test("without the key that the database depends on, a server warns and starts, and rejects everything that needs the key", async () => {
    await depend({ DATABASE_URL: testDatabase.url, INSTANCE_KEY: KEY });
    const server = await startServer({ DATABASE_URL: testDatabase.url });
    const { stderr } = await server.stop();
    expect(stderr).toContain("The instance key is missing. Set INSTANCE_KEY");
    await withServices({ DATABASE_URL: testDatabase.url }, async ({ database, instanceKey }) => {
      const rejection = { code: "conflict", message: expect.stringContaining("INSTANCE_KEY") };
      await expect(instanceKey.current()).rejects.toMatchObject(rejection);
      await expect(database.write((tx) => instanceKey.required(tx))).rejects.toMatchObject(rejection);
    });
  });

  test("if processes have different keys, the first one to need a key wins, and the others are rejected", async () => {
    const use = (key: string) =>
      depend({ DATABASE_URL: testDatabase.url, INSTANCE_KEY: key }).then(
        () => "used",
        (error) => error.message as string,
      );
    await withServices(
      { DATABASE_URL: testDatabase.url, INSTANCE_KEY: OTHER_KEY },
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

  test("a failed unit of work does not make the database depend on a key", async () => {
    const env = { DATABASE_URL: testDatabase.url, INSTANCE_KEY: KEY };
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
    const env = { DATABASE_URL: testDatabase.url, INSTANCE_KEY: KEY };
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
