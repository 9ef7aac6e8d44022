import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Message } from "../../src/features/messages/message.entity";
import { publish } from "../support/decisions";
import { lineClient } from "../support/lines";
import { firstAgentId } from "../support/people";
import { Receiver } from "../support/receiver";
import { DELIVERING, describeGateway } from "../support/suite";
import { waitUntil } from "../support/wait-until";

const page = readFileSync("docs/inbound.md", "utf8");
const block = (language: string): string => {
  const [, code] = new RegExp(`\`\`\`${language}\n([^\`]+(?:\`[^\`]+)*?)\`\`\`\n`).exec(page) ?? [];
  if (code === undefined) throw new Error(`The page has no example in ${language}.`);
  return code;
};

describeGateway({ engine: "one", env: DELIVERING }, (gateway) => {
  let folder: string;
  let bridge: ChildProcess;
  beforeAll(() => {
    // The file is in node_modules, so that the program finds its package.
    folder = mkdtempSync("node_modules/.bridge-");
  });
  afterAll(() => {
    bridge?.kill();
    rmSync(folder, { recursive: true });
  });

  test("the documented example leads from a contact's message to the receipt for the answer", async () => {
    const agentId = await firstAgentId(gateway);
    const free = await Receiver.start();
    const { port } = free;
    await free.close();
    // Like the command line.
    const { body } = await lineClient(gateway).create({
      agentId,
      name: "sms",
      settings: { webhook: { url: `http://127.0.0.1:${port}/` } },
    });
    const { line, signingSecret } = body.data.createLine;
    await publish(gateway, agentId, JSON.parse(block("json")));
    const file = join(folder, "bridge.mjs");
    writeFileSync(file, block("js"));
    bridge = spawn(process.execPath, [file], {
      env: { LINE_ID: line.id, SIGNING_SECRET: signingSecret, GATEWAY: gateway.url, PORT: String(port) },
      stdio: ["pipe", "pipe", "inherit"],
    });
    let printed = "";
    bridge.stdout?.on("data", (chunk) => {
      printed += chunk;
    });
    bridge.stdin?.write("Where is my order?\n");
    await waitUntil(() => printed.includes("/status 200"));
    const ids = "[0-9a-f-]{36}";
    expect(printed).toMatch(
      new RegExp(
        `^/ 202 {"id":"${ids}","conversationId":"${ids}","contactId":"${ids}","status":"received","decisionId":"${ids}"}
to \\+41446681800: Hi, we are looking for your order.
/status 200 {"messageId":"${ids}","status":"delivered"}\n$`,
      ),
    );
    const all = await gateway.services.database.read((reader) =>
      reader.find(Message, { order: { id: "ASC" } }),
    );
    expect(all).toMatchObject([{ status: "received" }, { status: "delivered" }]);
    const { body: events } = await gateway.rest("GET", "/agent/events?limit=100");
    const types: string[] = events.map(({ type }: { type: string }) => type);
    // The response (sent) and the receipt (delivered) may arrive in either order.
    expect(types.slice(types.indexOf("contact.created")).filter((type) => type !== "message.sent")).toEqual([
      "contact.created",
      "conversation.opened",
      "message.received",
      "message.queued",
      "decision.made",
      "message.delivered",
    ]);
  });
});
