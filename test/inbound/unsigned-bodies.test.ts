import { v7 as uuid } from "uuid";
import { addMailSender, type Sender } from "../support/inbound";
import { addOrganization } from "../support/people";
import { openRaw, type RawConnection, statusesIn } from "../support/raw";
import { slowTest } from "../support/slow-test";
import { describeGateway } from "../support/suite";

const MEBI = 1_048_576;

/** As large as an e-mail may be, without its end. */
const SIZE = 8 * MEBI;

describeGateway(
  { engine: "one", env: { TRUST_PROXY: "true", ALLOW_PRIVATE_TARGETS: "127.0.0.0/8" } },
  (gateway) => {
    let connections: RawConnection[] = [];
    afterEach(async () => {
      for (const { socket } of connections) socket.destroy();
      await Promise.all(connections.map(({ closed }) => closed));
      connections = [];
    });

    /** Returns the senders of a new organization's e-mail lines. */
    async function addSenders(count: number): Promise<Sender[]> {
      const { agentId } = await addOrganization(gateway, `org-${uuid().slice(-12)}`);
      const senders: Sender[] = [];
      for (let i = 0; i < count; i++)
        senders.push(await addMailSender(gateway, agentId, { port: 25, from: "acme@example.com" }));
      return senders;
    }
    /** Sends a line all but the last byte of an e-mail, with an invalid signature, from an address. */
    function halfSend({ lineId }: Sender, address: string): RawConnection {
      const connection = openRaw(gateway.url);
      connections.push(connection);
      connection.socket.write(
        `POST /inbound/${lineId} HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: ${address}\r\n` +
          `Content-Type: message/rfc822\r\nwebhook-id: 1\r\nwebhook-timestamp: ${Math.floor(Date.now() / 1000)}\r\n` +
          `webhook-signature: v1,${Buffer.alloc(32).toString("base64")}\r\nContent-Length: ${SIZE}\r\n\r\n` +
          " ".repeat(SIZE - 1),
      );
      return connection;
    }
    /** Waits until one of these bodies is rejected, because earlier ones hold the max memory. */
    const oneRejected = async () =>
      expect(statusesIn(await Promise.race(connections.map(({ closed }) => closed)))).toEqual([503]);

    slowTest.each([
      ["an address that names lines of two organizations", 2, 1],
      ["many addresses that name the lines of one organization", 1, 8],
    ])("endless bodies from %s take no memory from others", async (_, organizations, addresses) => {
      const named: Sender[] = [];
      for (let i = 0; i < organizations; i++) named.push(...(await addSenders(8 / organizations)));
      const [other] = await addSenders(1);
      for (const [i, sender] of named.entries()) halfSend(sender, `192.0.2.${i % addresses}`);
      await oneRejected();
      const raw = ["From: nina@example.com", "Subject: Hello", "", "x".repeat(SIZE)].join("\r\n");
      const answer = await other?.mail(raw);
      expect(answer?.status).toBe(202);
    });
  },
);
