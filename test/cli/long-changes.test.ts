import { operatorFor } from "../../src/auth/context";
import { bootstrap } from "../../src/bootstrap";
import { timestamp } from "../../src/common/time";
import { BACKGROUND } from "../../src/database/limits";
import type { Services } from "../../src/features";
import { sqlite } from "../support/engines";
import { depend, withServices } from "../support/instance-key";
import { databaseForEach } from "../support/process";

const KEYS = [7, 8].map((byte) => Buffer.alloc(32, byte).toString("base64"));
const MESSAGE = "01a1f000-0000-7000-8000-000000000002";

describe("on SQLite", () => {
  const testDatabase = databaseForEach(sqlite);
  afterEach(() => jest.restoreAllMocks());

  async function release({ agents, database, messages }: Services): Promise<void> {
    const agent = await agents.bySlug("first-agent");
    await database.write((tx) =>
      tx.query(
        `insert into message (id, agent_id, message, status, created_at, held_reason)
         values ('${MESSAGE}', '${agent.id}', 'x', 'queued', '${timestamp()}', 'imported')`,
      ),
    );
    jest.replaceProperty(BACKGROUND, "statement", 1);
    expect(await messages.release(operatorFor(agent.organization), agent)).toBe(1);
  }

  async function replace({ instanceKey }: Services): Promise<void> {
    jest.replaceProperty(BACKGROUND, "statement", 1);
    await instanceKey.replace();
  }

  test.each([
    ["messages release", "insert on lane", release],
    ["instance-key replace", "update on instance_key_check", replace],
  ])("%s may take longer than other transactions", async (_, change, command) => {
    const [lost = "", key = ""] = KEYS;
    await depend({ DATABASE_URL: testDatabase.url, INSTANCE_KEY: lost });
    await withServices({ DATABASE_URL: testDatabase.url, INSTANCE_KEY: key }, async (services) => {
      await bootstrap(services);
      await services.database.write(async (tx) => {
        await tx.query(
          "create table slow as with recursive n (i) as (select 1 union all select i + 1 from n where i < 1500) select i from n",
        );
        await tx.query(
          `create trigger slowly after ${change} begin select sum(a.i * b.i) from slow a, slow b; end`,
        );
      });
      await command(services);
    });
  });
});
