import {
  chmod,
  mkdir,
  readdir,
  readFile,
  stat,
  symlink,
  truncate,
  utimes,
  writeFile,
} from "node:fs/promises";
import { dirname, join } from "node:path";
import { Database } from "../../src/database/database";
import { MIGRATIONS } from "../../src/database/migrations";
import { backUp, restore as restoreBackup } from "../../src/database/sqlite/backup";
import { createDataSource } from "../../src/features";
import { sqlite } from "../support/engines";
import { PUBLIC_URL } from "../support/lines";
import {
  databaseForEach,
  type Ended,
  runCli,
  secretsIn,
  startServer,
  type TestServer,
} from "../support/process";
import { loadRelease, releasesOf } from "../support/released";
import { waitUntil } from "../support/wait-until";

const testDatabase = databaseForEach(sqlite);
let directory: string;
beforeEach(() => {
  directory = dirname(fileOf(testDatabase.url));
});

const fileOf = (url: string) => url.slice("sqlite:".length);
const inPlace = (name: string) => join(directory, name);

/**
 * Checks that the command failed as every rejected command must.
 * @returns its message
 */
function rejection({ code, stdout, stderr }: Ended): string {
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toMatch(/^gateway: [^\n]+\n$/);
  return stderr;
}

async function petsOf(url: string): Promise<number> {
  const database = await Database.open(createDataSource(url));
  try {
    const [row] = await database.read((reader) => reader.query("SELECT COUNT(*) AS pets FROM pet"));
    return row.pets;
  } finally {
    await database.close();
  }
}

describe("while a server writes", () => {
  let server: TestServer;
  let key: string;
  beforeEach(async () => {
    server = await startServer({ DATABASE_URL: testDatabase.url });
    key = secretsIn(server.stdout())?.key ?? "";
  });

  const call = (url: string, path: string, body?: object) =>
    fetch(`${url}${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });

  test("a backup contains every write acknowledged before it started, and a server can continue from it", async () => {
    const answered: number[] = [];
    let writing = true;
    const writers = Array.from({ length: 8 }, async () => {
      while (writing) {
        const response = await call(server.url, "/v1/pets", { name: "Rex", categoryId: 1 });
        answered.push(((await response.json()) as { id: number }).id);
      }
    });
    await waitUntil(() => answered.length >= 50);
    const before = [...answered];
    const endpoint = ["webhooks", "create", "--org", "first", "--url", PUBLIC_URL];
    expect(await runCli(testDatabase.url, endpoint)).toMatchObject({ code: 0, stderr: "" });
    const made = await runCli(testDatabase.url, ["backup", inPlace("backup"), "--json"]);
    const during = answered.length;
    writing = false;
    await Promise.all(writers);
    expect(made).toMatchObject({ code: 0, stderr: "" });
    expect(during).toBeGreaterThan(before.length);
    expect(JSON.parse(made.stdout)).toEqual({
      file: inPlace("backup"),
      bytes: (await stat(inPlace("backup"))).size,
      migrations: MIGRATIONS.map(({ name }) => name),
    });
    expect((await stat(inPlace("backup"))).mode & 0o777).toBe(0o600);

    const elsewhere = `sqlite:${inPlace("new/folder/gateway.sqlite")}`;
    const restored = await runCli(elsewhere, ["restore", inPlace("backup")]);
    expect(restored).toMatchObject({ code: 0, stderr: "" });
    expect(restored.stdout).toMatch(
      /^Restored \/.*gateway\.sqlite \(\d+ bytes\)\.\nIts lines are paused so that .*\nIts webhook endpoints are disabled\..*\n.* "gateway restored --same"\.\n$/,
    );
    const lines = await runCli(elsewhere, ["lines", "list", "--agent", "first-agent", "--json"]);
    expect(JSON.parse(lines.stdout)).toMatchObject([{ name: "main", state: "paused" }]);
    const endpoints = await runCli(elsewhere, ["webhooks", "list", "--org", "first", "--json"]);
    expect(JSON.parse(endpoints.stdout)).toMatchObject([{ state: "disabled", disabledReason: "restored" }]);
    expect((await stat(fileOf(elsewhere))).mode & 0o777).toBe(0o600);
    const second = await startServer({ DATABASE_URL: elsewhere });
    expect(secretsIn(second.stdout())).toBeUndefined();
    expect((await call(second.url, "/agent/whoami")).status).toBe(200);
    expect(await (await call(second.url, "/readyz")).json()).toHaveProperty("restoredAt");
    for (const id of before) expect((await call(second.url, `/v1/pets/${id}`)).status).toBe(200);
    const added = await call(second.url, "/v1/pets", { name: "Tom", categoryId: 1 });
    expect(((await added.json()) as { id: number }).id).toBeGreaterThan(Math.max(...before));
  });

  test("nothing is restored over the server's database, and a backup contains the last writes of a killed server, which are still in the log", async () => {
    await call(server.url, "/v1/pets", { name: "Rex", categoryId: 1 });
    await runCli(testDatabase.url, ["backup", inPlace("backup")]);
    await call(server.url, "/v1/pets", { name: "Tom", categoryId: 1 });
    expect(rejection(await runCli(testDatabase.url, ["restore", inPlace("backup"), "--force"]))).toContain(
      "a process is using the database",
    );
    expect(await (await call(server.url, "/v1/pets")).json()).toHaveLength(2);

    server.signal("SIGKILL");
    await server.ended;
    expect(await runCli(testDatabase.url, ["backup", inPlace("later")])).toMatchObject({ code: 0 });
    expect(await petsOf(`sqlite:${inPlace("later")}`)).toBe(2);
    expect(await runCli(testDatabase.url, ["restore", inPlace("backup"), "--force"])).toMatchObject({
      code: 0,
    });
    expect(await petsOf(testDatabase.url)).toBe(1);
  });
});

describe("on a database with a pet", () => {
  beforeEach(async () => {
    await runCli(testDatabase.url, ["seed", "--pets", "1"]);
  });

  const backup = (...args: string[]) => runCli(testDatabase.url, ["backup", ...args]);
  const restore = (...args: string[]) => runCli(testDatabase.url, ["restore", ...args]);

  test("a backup replaces a file only with --force, and never the database", async () => {
    await writeFile(inPlace("kept"), "kept");
    expect(rejection(await backup(inPlace("kept")))).toContain("--force");
    expect(await readFile(inPlace("kept"), "utf8")).toBe("kept");
    expect(await backup(inPlace("kept"), "--force")).toMatchObject({ code: 0 });
    expect(await petsOf(`sqlite:${inPlace("kept")}`)).toBe(1);

    const file = fileOf(testDatabase.url);
    await symlink(file, inPlace("link"));
    await symlink(inPlace("kept"), inPlace("latest"));
    await symlink(inPlace("nowhere"), inPlace("dangling"));
    for (const link of ["latest", "dangling"]) {
      expect(rejection(await backup(inPlace(link), "--force"))).toContain("is a link");
    }
    for (const own of [file, inPlace("link"), `${file}-wal`, `${file}-journal`]) {
      expect(rejection(await backup(own, "--force"))).toContain("is the database itself");
    }
    expect(rejection(await restore(file, "--force"))).toContain("is the database itself");
    expect(await petsOf(testDatabase.url)).toBe(1);
  });

  test("a backup that fails leaves nothing behind", async () => {
    expect(rejection(await backup(inPlace("nowhere/backup")))).toContain(
      `the folder ${inPlace("nowhere")} does not exist`,
    );
    await mkdir(inPlace("folder"));
    expect(rejection(await backup(inPlace("folder"), "--force"))).toContain("is not a file");
    const before = await readdir(directory);
    await writeFile(inPlace("garbage"), "not a database ".repeat(1000));
    expect(rejection(await runCli(`sqlite:${inPlace("garbage")}`, ["backup", inPlace("x")]))).toContain(
      "not a database",
    );
    expect(rejection(await runCli(`sqlite:${inPlace("none")}`, ["backup", inPlace("x")]))).toContain(
      `${inPlace("none")} does not exist`,
    );
    expect((await readdir(directory)).sort()).toEqual([...before, "garbage"].sort());
  });

  test("a file that is not a complete backup of this program is not restored, and the database stays as it is", async () => {
    await backup(inPlace("good"));
    const bytes = await readFile(inPlace("good"));
    await writeFile(inPlace("garbage"), "not a database ".repeat(1000));
    await writeFile(inPlace("empty"), "");
    await writeFile(inPlace("cut"), bytes);
    await truncate(inPlace("cut"), bytes.length - 8192);
    await writeFile(inPlace("damaged"), bytes.fill(0x2a, 8192, 40_960));
    for (const bad of ["garbage", "empty", "cut", "damaged", "none", "."]) {
      rejection(await restore(inPlace(bad), "--force"));
      rejection(await runCli(`sqlite:${inPlace("new.sqlite")}`, ["restore", inPlace(bad)]));
    }
    expect(await readdir(directory)).not.toContain("new.sqlite");
    expect(await petsOf(testDatabase.url)).toBe(1);
  });

  test.each([
    [
      "trigger",
      "CREATE TRIGGER undo AFTER UPDATE OF revoked_at ON api_key BEGIN UPDATE api_key SET revoked_at = NULL; END",
    ],
    ["view", "CREATE VIEW seen AS SELECT * FROM api_key"],
    ["table", "CREATE VIRTUAL TABLE words USING fts5(word)"],
    ["generated column", "ALTER TABLE api_key ADD COLUMN more text GENERATED ALWAYS AS (hash) VIRTUAL"],
    ['also has table "more"', "CREATE TABLE more (id integer)"],
    ['also has index "more"', "CREATE UNIQUE INDEX more ON api_key (revoked_at)"],
    ['has a different table "api_key"', "ALTER TABLE api_key ADD COLUMN more text"],
    ['lacks table "session"', "DROP TABLE session"],
    ['lacks index "IDX_', "DROP INDEX IDX_d6198c8c0e4199284b281e39af"],
  ])("a backup whose tables do not match its version is not restored: %s", async (kind, statement) => {
    await backup(inPlace("good"));
    const source = await createDataSource(`sqlite:${inPlace("good")}`).initialize();
    await source.query(statement);
    await source.destroy();
    expect(rejection(await restore(inPlace("good"), "--force"))).toContain(kind);
    expect(await petsOf(testDatabase.url)).toBe(1);
  });

  test("a backup is restored over another database only with --force, and undoes all later changes", async () => {
    await backup(inPlace("good"));
    await runCli(testDatabase.url, ["seed", "--pets", "5"]);
    expect(rejection(await restore(inPlace("good")))).toContain("--force");
    expect(await petsOf(testDatabase.url)).toBe(6);
    expect(await restore(inPlace("good"), "--force")).toMatchObject({ code: 0 });
    expect(await petsOf(testDatabase.url)).toBe(1);
  });

  test("a restore that fails between its changes to the backup leaves the database unchanged", async () => {
    await backup(inPlace("good"));
    await runCli(testDatabase.url, ["seed", "--pets", "5"]);
    const before = await readdir(directory);
    const afterwards = ["DELETE FROM pet", "UPDATE pet SET unknown = 1"].map((statement) => ({
      table: "pet",
      statement,
    }));
    const failed = restoreBackup(testDatabase.url, inPlace("good"), { force: true, afterwards });
    await expect(failed).rejects.toMatchObject({
      cause: expect.objectContaining({ message: expect.stringContaining("no such column: unknown") }),
    });
    expect(await petsOf(testDatabase.url)).toBe(6);
    expect((await readdir(directory)).sort()).toEqual(before.sort());
  });

  test("files of killed backups are removed after an hour, and do not affect later backups", async () => {
    const killed = [`.good.${process.pid}.unfinished`, `.good.${process.pid}.unfinished-journal`];
    const kept = [".good.running.unfinished", ".good.more.1.unfinished", ".other.1.unfinished"];
    for (const name of [...killed, ...kept]) await writeFile(inPlace(name), "");
    const old = Date.now() / 1000 - 3_660;
    for (const name of [...killed, ...kept.slice(1)]) await utimes(inPlace(name), old, old);
    await backUp(testDatabase.url, inPlace("good"), {});
    expect((await readdir(directory)).filter((name) => name.startsWith(".")).sort()).toEqual(kept.sort());
    // As if an earlier process with the same ID had been killed just now.
    await writeFile(inPlace(`.good.${process.pid}.unfinished`), "");
    expect(await backUp(testDatabase.url, inPlace("good"), { force: true })).toHaveProperty("bytes");
  });

  test("nothing is restored over a damaged database until it has been moved away", async () => {
    await backup(inPlace("good"));
    await writeFile(fileOf(testDatabase.url), "not a database ".repeat(1000));
    expect(rejection(await restore(inPlace("good"), "--force"))).toContain(
      "move it and its -wal and -shm files aside",
    );
    expect(await readFile(fileOf(testDatabase.url), "utf8")).toMatch(/^not a database/);
  });

  test("a backup of a newer program is not restored", async () => {
    const source = createDataSource(testDatabase.url);
    await source.initialize();
    await source.query(
      "INSERT INTO migration (timestamp, name) VALUES (9763700000000, 'Future9763700000000')",
    );
    await source.destroy();
    expect(await backup(inPlace("newer"))).toMatchObject({ code: 0 });
    const elsewhere = `sqlite:${inPlace("elsewhere.sqlite")}`;
    expect(rejection(await runCli(elsewhere, ["restore", inPlace("newer")]))).toContain(
      "Future9763700000000",
    );
    expect(await readdir(directory)).not.toContain("elsewhere.sqlite");
  });

  test.each(releasesOf(sqlite).map(({ name }, i) => [name, i + 1] as const))(
    "a backup of an earlier version is restored: %s",
    async (_, number) => {
      await loadRelease(sqlite, `sqlite:${inPlace("older")}`, number);
      expect(await restore(inPlace("older"), "--force")).toMatchObject({ code: 0, stderr: "" });
    },
  );

  test("a backup that is read-only for its owner can be restored", async () => {
    await backup(inPlace("good"));
    await chmod(inPlace("good"), 0o400);
    expect(await restore(inPlace("good"), "--force")).toMatchObject({ code: 0 });
  });
});

test("for PostgreSQL, the command line names the tool to use, without a password", async () => {
  for (const [command, tool] of [
    ["backup", "pg_dump"],
    ["restore", "pg_restore"],
  ] as const) {
    const said = rejection(await runCli("postgres://user:hunter2@db.example.com/pets", [command, "file"]));
    expect(said).toContain(tool);
    expect(said).not.toContain("hunter2");
  }
});
