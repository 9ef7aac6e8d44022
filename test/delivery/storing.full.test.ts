import { timestamp } from "../../src/common/time";
import { createDataSource } from "../../src/features";
import { Message } from "../../src/features/messages/message.entity";
import { MessageStatus } from "../../src/features/messages/message.enums";
import { postgres } from "../support/engines";
import type { GatewayOptions } from "../support/gateway";
import { addWebhookLine, lineClient } from "../support/lines";
import { withShortTimeouts } from "../support/patient-database";
import { firstAgentId } from "../support/people";
import { Receiver } from "../support/receiver";
import { describeGateway } from "../support/suite";
import { waitUntil } from "../support/wait-until";

/** More messages than a transaction usually handles. */
const MESSAGES = 120;

const SENDS = {
  env: { DELIVERY_WORKERS: String(MESSAGES), ALLOW_PRIVATE_TARGETS: "127.0.0.0/8" },
} satisfies GatewayOptions;

withShortTimeouts(1);

describeGateway(SENDS, (gateway, engine) => {
  /** Directs messages without a contact to a receiver. */
  async function leaveTo(receiver: Receiver): Promise<void> {
    const agentId = await firstAgentId(gateway);
    const line = await addWebhookLine(gateway, { agentId, url: receiver.url() });
    await lineClient(gateway).setDefault(line.id);
  }
  const send = async (): Promise<string> =>
    (await gateway.rest("POST", "/messages", { body: { message: "Hello" } })).body.id;

  test("the result of a send is stored when a database that was locked for long accepts writes again", async () => {
    const receiver = await Receiver.start();
    const other = await createDataSource(gateway.databaseUrl).initialize();
    const runner = other.createQueryRunner();
    try {
      const held = receiver.hold();
      await leaveTo(receiver);
      const id = await send();
      await waitUntil(() => held.length !== 0);
      await runner.query(engine === postgres ? "BEGIN" : "BEGIN IMMEDIATE");
      if (engine === postgres) await runner.query("LOCK TABLE lane");
      held[0]?.end();
      await waitUntil(() => gateway.log().includes("delivery failed"));
      // The gateway gives up while the lease is valid, and tries again.
      const [lane] = await runner.query("SELECT lease_until FROM lane");
      expect(lane.lease_until > timestamp()).toBe(true);
      await runner.query("COMMIT");
      const message = () => gateway.rows.findOneByOrFail(Message, { id });
      await waitUntil(async () => (await message()).status !== MessageStatus.sending);
      expect(await message()).toMatchObject({ status: "sent", attempts: 1 });
      expect(receiver.received).toHaveLength(1);
    } finally {
      await runner.release();
      await other.destroy();
      await receiver.close();
    }
  });
});
