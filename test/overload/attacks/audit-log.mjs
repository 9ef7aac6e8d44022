// One member filters the audit log, 10 times in each document, by actions that none of the 300,000 entries has.
import { v7 as uuid } from "uuid";
import { addMember, signIn, withDatabase } from "../fixture.mjs";

export const expect = {
  attackCpuMs: 500,
  peakMebibytes: 450,
};

const CONNECTIONS = 10;
/** As many as an operation may contain. */
const ALIASES = 10;
const ENTRIES = 300_000;
const ENTRIES_PER_STATEMENT = 10_000;
const ACTIONS = ["organization_created", "agent_created", "member_signed_out", "api_key_created"];

export async function prepare({ url }) {
  const credentials = await addMember(url, "org-1");
  await withDatabase(url, (query) => multiplyEntry(query, url.startsWith("sqlite:")));
  return credentials;
}

/** Copies the entry about the added member into the past, with one second between copies. */
async function multiplyEntry(query, isSqlite) {
  const [entry] = await query("SELECT * FROM audit_entry ORDER BY id DESC LIMIT 1");
  const columns = Object.keys(entry).filter((name) => name !== "id");
  const ids = isSqlite ? "json_each($1)" : "json_array_elements_text($1::json)";
  const begin = Date.now() - ENTRIES * 1000;
  await query("BEGIN");
  for (let i = 0; i < ENTRIES; i += ENTRIES_PER_STATEMENT) {
    const some = Array.from({ length: ENTRIES_PER_STATEMENT }, (_, j) =>
      uuid({ msecs: begin + (i + j) * 1000 }),
    );
    await query(
      `INSERT INTO audit_entry (id, ${columns}) SELECT ids.value, ${columns.map((name) => `entry.${name}`)}
       FROM ${ids} AS ids CROSS JOIN audit_entry AS entry WHERE entry.id = $2`,
      [JSON.stringify(some), entry.id],
    );
  }
  await query("COMMIT");
  // Autovacuum would have done this by then.
  if (!isSqlite) await query("VACUUM ANALYZE audit_entry");
}

export const start = ({ port, prepared }) => signIn(port, prepared);

export async function run(traffic, { ready: token }) {
  const fields = Array.from({ length: ALIASES }, (_, i) => {
    const action = ACTIONS[i % ACTIONS.length];
    return `a${i}: auditLog(action: ${action}, first: ${i + 1}) { nodes { id } }`;
  });
  const body = { query: `{ ${fields.join(" ")} }` };
  let bytes = 0;
  await traffic.closedLoop(CONNECTIONS, async () => {
    const headers = { authorization: `Bearer ${token}` };
    const answer = await traffic.send({ method: "POST", path: "/graphql", headers, body });
    bytes += answer.bytes;
    return answer;
  });
  return { readKilobytes: bytes / 1000 };
}
