import type { DataSource } from "typeorm";
import { Message } from "../../src/features/messages/message.entity";
import { MessageStatus } from "../../src/features/messages/message.enums";
import { publish } from "../support/decisions";
import { addSender } from "../support/inbound";
import { firstAgentId } from "../support/people";
import { Receiver } from "../support/receiver";
import { DELIVERING, describeGateway } from "../support/suite";
import { waitUntil } from "../support/wait-until";

const CONFIGURATION = {
  burstSeconds: 0,
  templates: { echo: "You said: {{ message.text }}" },
  rules: [{ id: "echo", on: "message.received", do: [{ send: "echo" }] }],
};

/** PostgreSQL stores related rows with one statement. */
const MAX_STATEMENTS: Readonly<Record<string, number>> = { SQLite: 45, PostgreSQL: 39 };

/** Statements that run every few seconds, or once for several messages. */
const OCCASIONAL = /^(BEGIN|COMMIT|SELECT pg_notify)|AS ready|AS queued|COUNT\(1\)|endpoint|usage/;

describeGateway({ env: DELIVERING }, (gateway, engine) => {
  test("a contact's message is stored, answered by a rule and sent with few statements", async () => {
    const receiver = await Receiver.start();
    const source: DataSource = Reflect.get(gateway.services.database, "source");
    const statements: string[] = [];
    try {
      const agentId = await firstAgentId(gateway);
      const url = `http://127.0.0.1:${receiver.port}/`;
      const sender = await addSender(gateway, { agentId, name: "hook", url });
      await publish(gateway, agentId, CONFIGURATION);
      const answered = (number: number) =>
        waitUntil(async () => {
          const sent = { status: MessageStatus.sent };
          return (await gateway.services.database.read((reader) => reader.countBy(Message, sent))) === number;
        });
      await sender.text("+491511234500", "Hello");
      await answered(1);
      source.setOptions({ logging: ["query"] });
      Object.assign(source.logger, { logQuery: (query: string) => void statements.push(query.trim()) });
      await sender.text("+491511234500", "Hello again");
      await answered(2);
      const counted = statements.filter((query) => !OCCASIONAL.test(query));
      expect(counted.length).toBeGreaterThan(20);
      expect(counted.length).toBeLessThanOrEqual(MAX_STATEMENTS[engine.name] ?? 0);
    } finally {
      await receiver.close();
    }
  });
});
