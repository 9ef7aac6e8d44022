import { leastUuidAt } from "../../src/common/uuid";
import type { Database } from "../../src/database/database";
import { purgeRows } from "../../src/features/agents/agent-purge";
import { ConversationLogEntry } from "../../src/features/conversations/conversation-log-entry.entity";
import { purgeEvents } from "../../src/features/events/purge-events";
import { deleteEndpoints } from "../../src/features/webhooks/delete-endpoints";
import { purge } from "../../src/housekeeping";
import { onAnyEngine } from "../support/engines";
import { type LoggedDatabase, openLogged } from "../support/query-plans";

const AGENT = "01a1f000-0000-7000-8000-000000000002";
const ENDPOINT = "01a1f000-0000-7000-8000-000000000003";
const LONG_AGO = "2020-01-01T00:00:00.000Z";
/** The rows of the first chunk, and the rows of both chunks. */
const FIRST = 200;
const ROWS = 250;

const idOf = (row: number) => leastUuidAt(1_000_000 + row);
const timeOf = (row: number) => new Date(Date.parse(LONG_AGO) + row).toISOString();
const rowsOf = (columns: (row: number) => (string | number)[]) =>
  Array.from({ length: ROWS }, (_, row) => `('${columns(row + 1).join("', '")}')`).join(", ");

const events = () =>
  `insert into event (agent_id, position, id, type, subject, data, created_at) values
   ${rowsOf((row) => [AGENT, row, idOf(row), "message.sent", "conversation:x", "{}", timeOf(row)])}`;

onAnyEngine((engine) => {
  let logged: LoggedDatabase;
  beforeEach(async () => {
    logged = await openLogged(engine);
  });
  afterEach(() => logged.close());

  // PostgreSQL reads past deleted rows again as long as an older snapshot can see them, for example during a backup.
  test.each<[string, string, () => string[], (database: Database) => Promise<unknown>, string]>([
    [
      "expired rows",
      "event",
      () => [events()],
      (database) => purge(database, { RETENTION_EVENTS_DAYS: 1 }),
      timeOf(FIRST),
    ],
    [
      "a deleted agent's rows",
      "conversation_log_entry",
      () => [
        `insert into conversation_log_entry (id, agent_id, conversation_id, kind, actor_kind, actor_name, created_at) values
         ${rowsOf((row) => [idOf(row), AGENT, "x", "closed", "system", "x", LONG_AGO])}`,
      ],
      (database) => purgeRows(database, ConversationLogEntry)(AGENT, {}),
      idOf(FIRST),
    ],
    [
      "a deleted agent's events",
      "event",
      () => [events()],
      (database) => purgeEvents(database)(AGENT, { owner: undefined }),
      String(FIRST),
    ],
    [
      "a deleted endpoint's deliveries",
      "webhook_delivery",
      () => [
        `insert into webhook_endpoint (id, organization_id, url, state, secret_generation, created_at, updated_at, deleted_at)
         values ('${ENDPOINT}', 'x', 'x', 'active', 1, '${LONG_AGO}', '${LONG_AGO}', '${LONG_AGO}')`,
        `insert into webhook_delivery (id, endpoint_id, agent_id, event_id, lane_id, position, type, subject, state, attempts, created_at)
         values ${rowsOf((row) => [idOf(row), ENDPOINT, AGENT, idOf(row), "x", row, "message.sent", "x", "delivered", 1, LONG_AGO])}`,
      ],
      (database) => deleteEndpoints(database),
      idOf(FIRST),
    ],
  ])("each chunk of %s is read from where the last one ended", async (_, table, fill, work, last) => {
    const { database, statements } = logged;
    for (const statement of fill()) await database.write((tx) => tx.query(statement));
    statements.length = 0;
    await work(database);
    const reads = statements.filter(({ query }) => new RegExp(`from "?${table}\\b`, "i").test(query));
    const [row] = await database.read((reader) => reader.query(`select count(*) as "left" from ${table}`));
    expect(Number(row.left)).toBe(0);
    const isFrom = ({ query, parameters }: (typeof reads)[number]) =>
      /select|returning/i.test(query) && parameters.includes(last);
    expect(reads.filter(isFrom)).toHaveLength(1);
  });
});
