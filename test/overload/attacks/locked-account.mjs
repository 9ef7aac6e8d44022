// 3,000 attempts to sign in to a locked account, each from another IPv6 network.
import { seeded } from "../../bench/random.mjs";
import { addMember, addressOf, post, signInRequest, withDatabase } from "../fixture.mjs";

export const expect = {
  attackCpuMs: 15,
  // Rejected attempts write nothing; other attempts write at most three rows.
  rowsOfRejected: 0,
};

const CONNECTIONS = 16;
const MAX_REQUESTS = 3_000;
const MAX_ATTEMPTS_UNTIL_LOCKED = 200;
const ROWS_PER_ATTEMPT = 3;

export const environment = { TRUST_PROXY: "true" };

export const prepare = async ({ url }) => ({ ...(await addMember(url, "org-1")), url });

const attemptAt = ({ email }, random) =>
  signInRequest({ email, password: "a wrong password" }, addressOf(random));

const rowsOf = async (url) => {
  const [{ count }] = await withDatabase(url, (query) =>
    query("SELECT COUNT(*) AS count FROM sign_in_throttle"),
  );
  return Number(count);
};

/**
 * Locks the account.
 * @returns the number of rows that this wrote
 */
export async function start({ port, prepared }) {
  const random = seeded(1);
  for (let i = 0; i < MAX_ATTEMPTS_UNTIL_LOCKED; i++) {
    const { status } = await post(port, attemptAt(prepared, random));
    if (status === 429) return rowsOf(prepared.url);
  }
  throw new Error("The account was never locked");
}

export async function run(traffic, { random, prepared }) {
  await traffic.closedLoop(CONNECTIONS, () => traffic.send(attemptAt(prepared, random)), MAX_REQUESTS);
}

export async function measure({ url, totals, ready }) {
  const newRows = (await rowsOf(url)) - ready;
  const { 429: locked = 0, 503: shed = 0 } = totals.answers;
  return { newRows, rowsOfRejected: Math.max(0, newRows - (totals.sent - locked - shed) * ROWS_PER_ATTEMPT) };
}
