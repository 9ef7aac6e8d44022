import { ContactsArgs } from "../../src/features/contacts/contact.inputs";
import { sqlite } from "../support/engines";
import { addLine } from "../support/lines";
import { operatorOfAgent } from "../support/people";
import { runCli, runCliAtTerminal, runCliForJson } from "../support/process";
import { slowTest } from "../support/slow-test";
import { describeGateway, suiteGateway } from "../support/suite";
import { waitUntil } from "../support/wait-until";

describeGateway({ engine: "any", env: { DELIVERY_WORKERS: "8" } }, (gateway) => {
  const rows = (sql: string, ...parameters: unknown[]) =>
    gateway.services.database.read((reader) => reader.query(sql, parameters));
  const count = async (sql: string, ...parameters: unknown[]) =>
    Number((await rows(`SELECT count(*) AS n ${sql}`, ...parameters))[0].n);
  // Slow seeding also reports its progress on standard error.
  const seed = async (...args: string[]) =>
    JSON.parse((await runCli(gateway.databaseUrl, ["seed", ...args, "--json"])).stdout);

  /** Adds an agent whose only line is paused, so its messages stay queued. */
  async function pausedAgent() {
    const slug = `seeded-${Math.random().toString(36).slice(2)}`;
    await runCliForJson(
      gateway.databaseUrl,
      "agents",
      "add",
      "--org",
      "first",
      "--slug",
      slug,
      "--name",
      "S",
    );
    await runCliForJson(gateway.databaseUrl, "lines", "pause", "--agent", slug, "main");
    const { id } = await gateway.services.agents.bySlug(slug);
    return { id, slug };
  }
  const amounts = (contacts: number, conversations: number, messages: number, queued: number) =>
    Object.entries({ contacts, conversations, messages, queued }).flatMap(([name, n]) => [
      `--${name}`,
      `${n}`,
    ]);

  slowTest(
    "sample conversations look as if their messages had been sent, even when they are added twice",
    async () => {
      const { id, slug } = await pausedAgent();
      for (let times = 1; times <= 2; times++) {
        expect(await seed("--agent", slug, ...amounts(30, 70, 2_100, 90))).toEqual({
          contacts: 30,
          conversations: 70,
          messages: 2_100,
          queued: 90,
        });
        expect(await count("FROM contact WHERE agent_id = $1", id)).toBe(30 * times);
        expect(await count("FROM contact_address WHERE agent_id = $1", id)).toBe(30 * times);
        expect(await count("FROM conversation WHERE agent_id = $1", id)).toBe(70 * times);
        expect(await count("FROM conversation WHERE agent_id = $1 AND state = 'open'", id)).toBe(30 * times);
        expect(await count("FROM message WHERE agent_id = $1", id)).toBe(2_190 * times);
        expect(await count("FROM lane WHERE agent_id = $1", id)).toBe(30 * times);
      }
      const inconsistent = await rows(
        `SELECT conversation.id FROM conversation
       JOIN message ON message.conversation_id = conversation.id WHERE conversation.agent_id = $1
       GROUP BY conversation.id, last_sequence
       HAVING count(*) <> last_sequence OR min(sequence) <> 1 OR max(sequence) <> last_sequence`,
        id,
      );
      expect(inconsistent).toEqual([]);
      const own =
        "FROM message JOIN conversation ON conversation.id = conversation_id WHERE message.agent_id = $1";
      expect(await count(`${own} AND status = 'queued' AND (state <> 'open' OR fence <> version)`, id)).toBe(
        0,
      );
      expect(
        await count(
          `FROM message AS queued JOIN message AS later ON later.conversation_id = queued.conversation_id
         WHERE queued.agent_id = $1 AND queued.status = 'queued' AND later.sequence > queued.sequence
           AND later.status <> 'queued'`,
          id,
        ),
      ).toBe(0);
      const statuses = await rows(
        "SELECT status, count(*) AS n FROM message WHERE agent_id = $1 GROUP BY status ORDER BY status",
        id,
      );
      expect(
        Object.fromEntries(
          statuses.map((row: { status: string; n: unknown }) => [row.status, Number(row.n)]),
        ),
      ).toEqual({
        canceled: 42,
        delivered: 4_116,
        failed: 42,
        queued: 180,
      });
      expect(
        await count("FROM delivery_attempt JOIN message ON message.id = message_id WHERE agent_id = $1", id),
      ).toBe(4_116);
    },
  );

  test("sample contacts are found by tag, name and address", async () => {
    const { id, slug } = await pausedAgent();
    await seed("--agent", slug, "--contacts", "120");
    const context = await operatorOfAgent(gateway, id);
    const found = async (args: object) => {
      const page = Object.assign(new ContactsArgs(), { first: 100, agentId: id, ...args });
      return (await gateway.services.contacts.list(context, page)).nodes.map(({ ref }) => ref);
    };
    expect(await found({ tag: "group-7" })).toEqual(["sample-000000007", "sample-000000107"]);
    expect(await found({ search: "SAMPLE-000000042" })).toEqual(["sample-000000042"]);
    expect(await found({ search: "grace" })).toHaveLength(12);
  });

  test("queued sample messages are sent", async () => {
    const { id, slug } = await pausedAgent();
    await seed("--agent", slug, ...amounts(5, 5, 10, 40));
    const [line] = await rows("SELECT id FROM line WHERE agent_id = $1", id);
    await gateway.services.lines.resume(await operatorOfAgent(gateway, id), line.id);
    await waitUntil(async () => (await count("FROM lane WHERE agent_id = $1", id)) === 0);
    expect(await count("FROM message WHERE agent_id = $1 AND status = 'delivered'", id)).toBe(50);
  });

  test("without sample conversations, messages do not belong to any", async () => {
    const { id, slug } = await pausedAgent();
    await seed("--agent", slug, "--messages", "12", "--queued", "3");
    expect(await count("FROM message WHERE agent_id = $1 AND conversation_id IS NULL", id)).toBe(15);
    expect(await count("FROM lane JOIN message ON message.id = lane.id WHERE lane.agent_id = $1", id)).toBe(
      3,
    );
  });

  slowTest(
    "on a webhook line, contacts have phone numbers and messages have the receiver's IDs",
    async () => {
      const { id, slug } = await pausedAgent();
      const webhook = { url: "https://93.184.215.14/", addressKind: "phone" };
      await addLine(gateway, {
        agentId: id,
        name: "hook",
        settings: { webhook: webhook as never },
      });
      await seed("--agent", slug, "--line", "hook", ...amounts(20, 20, 200, 0));
      expect(await count("FROM contact_address WHERE agent_id = $1 AND address LIKE '+999%'", id)).toBe(20);
      const sent = "FROM message WHERE agent_id = $1 AND status IN ('sent', 'delivered', 'read')";
      expect(await count(`${sent} AND provider_id IS NOT NULL`, id)).toBe(await count(sent, id));
      expect(await count("FROM message WHERE agent_id = $1 AND status = 'sent'", id)).toBe(46);
    },
  );
});

describe("gateway seed", () => {
  const gateway = suiteGateway(sqlite);
  const production = { ENVIRONMENT: "production" };
  const args = ["seed", "--agent", "first-agent", "--contacts", "1"];
  const contacts = async () =>
    (await gateway.services.database.read((reader) => reader.query("SELECT id FROM contact"))).length;

  test("adds contacts to a production database only with --force, and asks first at a terminal", async () => {
    expect(await runCli(gateway.databaseUrl, args, "", production)).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining("production"),
    });
    const forced = [...args, "--force"];
    expect(await runCliAtTerminal(gateway.databaseUrl, forced, "n\n", production)).toMatchObject({ code: 1 });
    expect(await contacts()).toBe(0);
    expect(await runCliAtTerminal(gateway.databaseUrl, forced, "y\n", production)).toMatchObject({ code: 0 });
    expect(await runCli(gateway.databaseUrl, forced, "", production)).toMatchObject({ code: 0 });
    expect(await contacts()).toBe(2);
  });

  test.each([
    [["seed"], "--pets <n> or --agent <slug>", 2],
    [["seed", "--messages", "5"], "require --agent", 2],
    [["seed", "--agent", "first-agent", "--conversations", "5"], "requires --contacts", 2],
    [["seed", "--agent", "first-agent", "--contacts", "x"], "--contacts", 2],
    [["seed", "--pets", "1", "--agent", "unknown", "--contacts", "1"], 'no agent "unknown"', 1],
    [["seed", "--pets", "1", "--agent", "first-agent", "--line", "unknown", "--contacts", "1"], "line", 1],
  ])("%j is rejected, and adds nothing", async (wrong, says, code) => {
    const pets = () => gateway.services.database.read((reader) => reader.query("SELECT id FROM pet"));
    const before = await pets();
    const ended = await runCli(gateway.databaseUrl, wrong);
    expect(ended).toMatchObject({ code, stdout: "", stderr: expect.stringContaining(says) });
    expect(await pets()).toEqual(before);
  });
});
