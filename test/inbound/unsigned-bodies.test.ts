import { v7 as uuid } from "uuid";
import { addMailSender, type Sender } from "../support/inbound";
import { addOrganization } from "../support/people";
import { type RawConnection, sendUnsigned } from "../support/raw";
import { slowTest } from "../support/slow-test";
import { describeGateway } from "../support/suite";

/** Nearly as large as an e-mail may be (bytes). */
const SIZE = 8 * 1_048_576;

const env = { TRUST_PROXY: "true", ALLOW_PRIVATE_TARGETS: "127.0.0.0/8" };

describeGateway({ engine: "one", env }, (gateway) => {
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
  /** Waits until one of these bodies is rejected, because earlier ones hold the max memory. */
  const oneRejected = () => Promise.any(connections.map(({ until }) => until("HTTP/1.1 503 ")));

  slowTest.each([
    ["an address that names lines of two organizations", 2, 1],
    ["many addresses that name the lines of one organization", 1, 8],
  ])("endless bodies from %s take no memory from others", async (_, organizations, addresses) => {
    const named: Sender[] = [];
    for (let i = 0; i < organizations; i++) named.push(...(await addSenders(8 / organizations)));
    const [other] = await addSenders(1);
    connections = named.map(({ lineId }, i) =>
      sendUnsigned(gateway.url, lineId, `192.0.2.${i % addresses}`, SIZE),
    );
    await oneRejected();
    const raw = ["From: nina@example.com", "Subject: Hello", "", "x".repeat(SIZE)].join("\r\n");
    const answer = await other?.mail(raw);
    expect(answer?.status).toBe(202);
  });
});
