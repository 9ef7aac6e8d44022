import { Contact } from "../../src/features/contacts/contact.entity";
import { Conversation } from "../../src/features/conversations/conversation.entity";
import { Decision } from "../../src/features/decisions/decision.entity";
import { Message } from "../../src/features/messages/message.entity";
import { startGateway } from "../support/gateway";
import { slowTest } from "../support/slow-test";
import { describeGateway } from "../support/suite";

describeGateway({ engine: "any", env: { LOG_LEVEL: "error" } }, (gateway, engine) => {
  slowTest(
    "two processes that get the same idempotency key twenty times make one decision with one message",
    async () => {
      const database = { url: gateway.databaseUrl, drop: async () => undefined };
      const other = await startGateway(engine, { env: { LOG_LEVEL: "error" }, database, signInOwner: false });
      const decide = (number: number, orderId: string) =>
        (number % 2 === 0 ? gateway : other).rest("POST", "/agent/decisions", {
          token: gateway.key,
          headers: { "idempotency-key": "order-17" },
          body: {
            situation: { type: "order.shipped", data: { orderId } },
            contact: { address: { kind: "local", address: "anna" } },
          },
        });
      const replies = await Promise.all(Array.from({ length: 20 }, (_, i) => decide(i, "A1")));
      expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([201]));
      expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
      for (const number of [0, 1]) {
        const { status, body } = await decide(number, "A2");
        expect([status, body.code]).toEqual([409, "idempotency_key_reused"]);
      }

      const count = (of: new () => object) => gateway.services.database.read((reader) => reader.count(of));
      expect(await count(Decision)).toBe(1);
      expect(await count(Message)).toBe(1);
      expect([await count(Contact), await count(Conversation)]).toEqual([1, 1]);
      await other.close();
    },
  );
});
