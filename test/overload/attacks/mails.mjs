// Six lines of one organization get e-mails that are costly to read, while another organization gets one ordinary
// e-mail per second.
import { createHmac, randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { percentile } from "../figures.mjs";
import { addLines, addMember } from "../fixture.mjs";

export const expect = {
  peakMebibytes: 800,
  mailsRejected: 0,
  mailP99Ms: 10_000,
};

const LINES = 6;
const CONNECTIONS = 12;
const MAX_MAILS = 200;
const INTERVAL_MS = 1_000;
const BYTES = 10_000_000;
const HEAD = "From: anna@example.com\r\nSubject: Hello\r\n\r\n";
const COSTLY = [
  HEAD + "\0".repeat(BYTES),
  HEAD + "x".repeat(BYTES),
  HEAD + "\n".repeat(149_000),
  `Content-Type: text/html\r\n${HEAD}${'<a href="\r\n'.repeat(100_000)}`,
];

const KEY = Buffer.alloc(32, "overload").toString("base64");
export const environment = { INSTANCE_KEY: KEY };

export const prepare = async ({ url }) => ({
  attacker: await addMember(url, "org-2", "attacker@example.com"),
  other: await addMember(url, "org-1"),
});

/**
 * Adds e-mail lines.
 * @returns their IDs and secrets
 */
async function addMailLines(port, member, count) {
  const email = { host: "93.184.215.14", from: "support@example.com" };
  const { ask, ids } = await addLines(port, member, count, { settings: { email } });
  return Promise.all(
    ids.map(async (id) => {
      const { rotateLineSecret } = await ask(
        "mutation ($id: ID!) { rotateLineSecret(input: { id: $id }) { signingSecret } }",
        { id },
      );
      return { id, secret: rotateLineSecret.signingSecret };
    }),
  );
}

export const start = async ({ port, prepared: { attacker, other } }) => ({
  attacked: await addMailLines(port, attacker, LINES),
  line: (await addMailLines(port, other, 1))[0],
});

function mailTo({ id, secret }, raw) {
  const [webhookId, timestamp] = [randomUUID(), String(Math.floor(Date.now() / 1000))];
  const key = Buffer.from(secret.replace("whsec_", ""), "base64");
  const signature = createHmac("sha256", key).update(`${webhookId}.${timestamp}.${raw}`).digest("base64");
  return {
    method: "POST",
    path: `/inbound/${id}`,
    headers: {
      "content-type": "message/rfc822",
      "webhook-id": webhookId,
      "webhook-timestamp": timestamp,
      "webhook-signature": `v1,${signature}`,
    },
    body: raw,
  };
}

export async function run(traffic, { ready: { attacked, line } }) {
  const mails = [];
  const receive = async () => {
    while (!traffic.isOver()) {
      const at = performance.now();
      const raw = `From: nina@example.com\r\nSubject: Order ${mails.length}\r\n\r\nWhere is it?\r\n`;
      const { status } = await traffic.send(mailTo(line, raw));
      // A request that ends with the attack is unanswered only for that reason.
      if (status !== 0) mails.push({ status, ms: performance.now() - at });
      await setTimeout(INTERVAL_MS);
    }
  };
  const attack = traffic.closedLoop(
    CONNECTIONS,
    (i) => traffic.send(mailTo(attacked[i % LINES], COSTLY[i % COSTLY.length])),
    MAX_MAILS,
  );
  await Promise.all([receive(), attack]);
  return {
    mailsStored: mails.filter(({ status }) => status === 202).length,
    mailsRejected: mails.filter(({ status }) => status !== 202).length,
    mailP99Ms: percentile(
      mails.map(({ ms }) => ms),
      99,
    ),
  };
}
