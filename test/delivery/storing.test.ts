import type { ServerResponse } from "node:http";
import { In } from "typeorm";
import { timestamp } from "../../src/common/time";
import { Lane } from "../../src/delivery/lane.entity";
import { DeliveryAttempt } from "../../src/features/messages/delivery-attempt.entity";
import { Message, MessageStatus } from "../../src/features/messages/message.entity";
import { postgres } from "../support/engines";
import type { GatewayOptions } from "../support/gateway";
import { addWebhookLine, lineClient } from "../support/lines";
import { firstAgentId } from "../support/people";
import { Receiver } from "../support/receiver";
import { describeGateway } from "../support/suite";

/** More than a transaction works on otherwise. */
const MESSAGES = 120;

const SENDS = {
  env: { DELIVERY_WORKERS: String(MESSAGES), ALLOW_PRIVATE_TARGETS: "127.0.0.0/8" },
} satisfies GatewayOptions;

describeGateway(SENDS, (gateway, engine) => {
  test("what came of sends is stored although the database was away until their leases had run out", async () => {
    const { database } = gateway.services;
    const receiver = await Receiver.start();
    try {
      const agentId = await firstAgentId(gateway);
      const line = await addWebhookLine(gateway, { agentId, url: receiver.url() });
      await lineClient(gateway).setDefault(line.id);
      const held: ServerResponse[] = [];
      receiver.reaction = (response) => held.push(response);
      const replies = Array.from({ length: MESSAGES }, (_, i) =>
        gateway.rest("POST", "/messages", { body: { message: `number ${i}` } }),
      );
      const ids = (await Promise.all(replies)).map(({ body }) => body.id as string);
      while (held.length < MESSAGES) await new Promise(setImmediate);
      await database.write(async (tx) => {
        // No other transaction reads or changes a lane before this one ends.
        if (engine === postgres) await tx.query("LOCK TABLE lane");
        await tx.update(Lane, { id: In(ids) }, { leaseUntil: timestamp(-1), wakeAt: timestamp(-1) });
        // Whatever is sent again is answered, and found below.
        receiver.reaction = (response) => response.end();
        for (const response of held) response.writeHead(200, { connection: "close" }).end();
        while (receiver.openConnections > 0) await new Promise(setImmediate);
      });
      const unsent = () =>
        database.read((reader) =>
          reader.countBy(Message, { id: In(ids), status: In([MessageStatus.queued, MessageStatus.sending]) }),
        );
      while ((await unsent()) > 0);
      const messages = await database.read((reader) => reader.findBy(Message, { id: In(ids) }));
      expect(messages.map(({ status, attempts }) => [status, attempts])).toEqual(ids.map(() => ["sent", 1]));
      const attempts = await database.read((reader) =>
        reader.findBy(DeliveryAttempt, { messageId: In(ids) }),
      );
      expect(attempts.map(({ outcome }) => outcome)).toEqual(ids.map(() => "accepted"));
      expect(receiver.received).toHaveLength(MESSAGES);
    } finally {
      await receiver.close();
    }
  });
});
