// Takes the README's picture of the dashboard, from a new database with sample data: npm run build, then run this file.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { createApp } from "../../dist/src/app.js";
import { operatorFor } from "../../dist/src/auth/context.js";
import { PERMISSIONS } from "../../dist/src/auth/permissions.js";
import { loadConfig } from "../../dist/src/config.js";
import { HourlyUse } from "../../dist/src/features/key-usage/hourly-use.entity.js";
import { createDataSource } from "../../dist/src/features.js";
import { createLogger } from "../../dist/src/logger.js";

const PICTURE = join(import.meta.dirname, "../../docs/images/dashboard.png");
const HOUR_MS = 60 * 60 * 1000;
const HOURS = 48;
const OWNER = { email: "mara@harborvet.example", password: "only for this picture" };

/** Requests per hour at the busiest time of day, and how many of them are rejected. */
const KEYS = [
  { agent: "Appointment desk", name: "web chat", busiest: 420 },
  { agent: "Appointment desk", name: "phone line", busiest: 260 },
  { agent: "Shop assistant", name: "online shop", busiest: 190 },
  { agent: "Shop assistant", name: "stock sync", busiest: 75 },
  { agent: "Shop assistant", name: "old till", busiest: 40, revoked: true },
];

async function addSamples({ database, organizations, agents, members, keys }) {
  const organization = await organizations.create({ slug: "harbor-vet", name: "Harbor Veterinary" });
  const context = operatorFor(organization);
  await members.create(context, { ...OWNER, permissions: PERMISSIONS });
  const names = [...new Set(KEYS.map(({ agent }) => agent))];
  const made = await Promise.all(
    names.map((name) => agents.create(context, { slug: name.toLowerCase().replace(" ", "-"), name })),
  );
  for (const { agent: agentName, name, busiest, revoked } of KEYS) {
    const agent = made.find((each) => each.name === agentName);
    const { apiKey } = await keys.create(context, { agentId: agent.id, name });
    if (revoked) await keys.revoke(context, apiKey.id);
    const uses = Array.from({ length: HOURS }, (_, i) => usesAt(i, apiKey.id, busiest, revoked));
    await database.write((tx) => tx.insert(HourlyUse, uses));
  }
}

/** Returns the number of requests by time of day, with some noise that is the same in each run. */
function usesAt(hoursAgo, keyId, busiest, revoked) {
  const time = new Date(Math.floor(Date.now() / HOUR_MS - hoursAgo) * HOUR_MS);
  const byDay = Math.max(0.06, Math.sin(((24 - hoursAgo) / 24) * Math.PI));
  const count = Math.round(busiest * byDay * (0.8 + 0.2 * Math.sin(hoursAgo * busiest)));
  return { keyId, hour: time.toISOString(), accepted: revoked ? 0 : count, refused: revoked ? count : 0 };
}

const folder = mkdtempSync(join(tmpdir(), "gateway-picture-"));
const config = loadConfig({ DATABASE_URL: `sqlite:${join(folder, "gateway.sqlite")}`, PORT: "0" });
const app = await createApp(config, createDataSource(config.databaseUrl), createLogger("warn"));
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox"],
});
try {
  await addSamples(app.services);
  const url = await app.http.listen({ port: 0, host: "127.0.0.1" });
  const page = await browser.newPage({
    viewport: { width: 1280, height: 960 },
    colorScheme: "light",
    reducedMotion: "reduce",
  });
  await page.goto(`${url}/dashboard`);
  await page.getByLabel("E-mail").fill(OWNER.email);
  await page.getByLabel("Password", { exact: true }).fill(OWNER.password);
  await page.keyboard.press("Enter");
  await page.getByRole("row").filter({ hasText: "web chat" }).waitFor();
  await page.getByRole("button", { name: "Dismiss" }).click();
  await page.screenshot({ path: PICTURE });
} finally {
  await browser.close();
  await app.close();
  rmSync(folder, { recursive: true });
}
