// 400 attempts a second to sign in from ever new IPv6 networks: half at one account, the others at a new one each.
import { addMember, withDatabase } from "../fixture.mjs";

const PER_SECOND = 400;
/** What an attempt that is not refused may write: a count for the account, one for the address, one for both. */
const ROWS_PER_ATTEMPT = 3;

export const expect = {
  clientRefused: 0,
  clientFailed: 0,
  clientUnanswered: 0,
  addedP99Ms: 2_000,
  attackCpuMs: 80,
  peakMebibytes: 450,
  recoveryMs: 5_000,
  // Refused attempts write nothing.
  surplusRows: 0,
};

export const environment = { TRUST_PROXY: "true" };

export const prepare = ({ url }) => addMember(url, "org-1");

export async function run(traffic, { random, prepared }) {
  const group = () => Math.floor(random() * 65_536).toString(16);
  await traffic.openLoop(PER_SECOND, (i) =>
    traffic.send({
      method: "POST",
      path: "/graphql",
      headers: { "x-forwarded-for": `2001:db8:${group()}:${group()}::1` },
      body: {
        query: "mutation SignIn($input: SignInInput!) { signIn(input: $input) { token } }",
        variables: {
          input: {
            email: i % 2 === 0 ? prepared.email : `stranger-${i}@example.com`,
            password: "a wrong password",
          },
        },
      },
    }),
  );
}

export async function measure({ url, totals }) {
  const [{ count }] = await withDatabase(url, (query) =>
    query("SELECT COUNT(*) AS count FROM sign_in_throttle"),
  );
  const { answers, sent } = totals;
  const refused = (answers[429] ?? 0) + (answers[503] ?? 0);
  const rows = Number(count);
  return { rows, surplusRows: Math.max(0, rows - (sent - refused) * ROWS_PER_ATTEMPT) };
}
