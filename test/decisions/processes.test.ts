import { Database } from "../../src/database/database";
import { createDataSource } from "../../src/features";
import { Contact } from "../../src/features/contacts/contact.entity";
import { Conversation } from "../../src/features/conversations/conversation.entity";
import { Decision } from "../../src/features/decisions/decision.entity";
import { Message } from "../../src/features/messages/message.entity";
import { onAnyEngine } from "../support/engines";
import { databaseForEach, secretsIn, startServer } from "../support/process";
import { slowTest } from "../support/slow-test";

onAnyEngine((engine) => {
  const testDatabase = databaseForEach(engine);

  slowTest(
    "two processes that get the same idempotency key twenty times make one decision with one message",
    async () => {
      const env = { DATABASE_URL: testDatabase.url, LOG_LEVEL: "error" };
      const first = await startServer(env);
      const servers = [first, await startServer(env)] as const;
      const decide = async (number: number, orderId: string) => {
        const { url } = servers[number % 2 === 0 ? 0 : 1];
        const response = await fetch(`${url}/agent/decisions`, {
          method: "POST",
          headers: {
            authorization: `Bearer ${secretsIn(first.stdout())?.key}`,
            "content-type": "application/json",
            "idempotency-key": "order-17",
          },
          body: JSON.stringify({
            situation: { type: "order.shipped", data: { orderId } },
            contact: { address: { kind: "local", address: "anna" } },
          }),
        });
        return { status: response.status, text: await response.text() };
      };
      const replies = await Promise.all(Array.from({ length: 20 }, (_, i) => decide(i, "A1")));
      expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([201]));
      expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
      for (const number of [0, 1]) {
        const { status, text } = await decide(number, "A2");
        expect([status, JSON.parse(text).code]).toEqual([409, "idempotency_key_reused"]);
      }

      const database = await Database.open(createDataSource(testDatabase.url));
      try {
        const count = (of: new () => object) => database.read((reader) => reader.count(of));
        expect(await count(Decision)).toBe(1);
        expect(await count(Message)).toBe(1);
        expect([await count(Contact), await count(Conversation)]).toEqual([1, 1]);
      } finally {
        await database.close();
      }
    },
  );
});
