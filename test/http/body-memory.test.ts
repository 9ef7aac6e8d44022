import { Budget } from "../../src/common/budget";
import { mint } from "../support/gateway";
import { addOrganization } from "../support/people";
import { openRaw, type RawConnection, statusesIn } from "../support/raw";
import { describeGateway } from "../support/suite";
import { waitUntil } from "../support/wait-until";

const KIBI = 1024;
const MEBI = KIBI * KIBI;

describeGateway({ engine: "one" }, (gateway) => {
  const bodyOf = (bytes: number) => '{"query":"{ __typename }"}'.padEnd(bytes);
  const post = (bytes: number, token: string | null = gateway.key) =>
    gateway.rest("POST", "/graphql", { body: bodyOf(bytes), token });

  describe("the largest body at /graphql", () => {
    test.each<[string, number, () => string | null]>([
      ["64 kB with a key", 64 * KIBI, () => gateway.key],
      ["1.25 MB as a member", 1.25 * MEBI, () => gateway.owner],
      ["16 kB without either", 16 * KIBI, () => null],
    ])("is %s", async (_, bytes, token) => {
      expect((await post(bytes, token())).status).toBe(200);
      const rejected = await post(bytes + 1, token());
      expect([rejected.status, rejected.body.errors[0].extensions.code]).toEqual([413, "payload_too_large"]);
    });

    test("is the same in chunks", async () => {
      const { socket, until } = openRaw(gateway.url);
      socket.write(
        "POST /graphql HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" +
          `Transfer-Encoding: chunked\r\n\r\n${"400\r\n".padEnd(KIBI + 5)}\r\n`.concat(
            `400\r\n${" ".repeat(KIBI)}\r\n`.repeat(16),
          ),
      );
      await until("HTTP/1.1 413 ");
      socket.destroy();
    });
  });

  describe("bodies without an end", () => {
    /** Sends all but the last byte of this many bodies. */
    const halfSend = (count: number, bytes: number, operation: string, headers = "") =>
      Array.from({ length: count }, () => {
        const connection = openRaw(gateway.url);
        connection.socket.write(
          `${operation} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${headers}` +
            `Content-Length: ${bytes}\r\n\r\n${" ".repeat(bytes - 1)}`,
        );
        return connection;
      });
    const rejected = (connections: RawConnection[], count: number) =>
      new Promise<number[]>((resolve) => {
        const statuses: number[] = [];
        for (const { until, received } of connections) {
          const note = () => {
            if (statuses.push(...statusesIn(received())) === count) resolve(statuses);
          };
          // The other connections get no response until they are closed.
          until("HTTP/1.1 ").then(note, () => undefined);
        }
      });
    const end = async (connections: RawConnection[]) => {
      for (const { socket } of connections) socket.destroy();
      await Promise.all(connections.map(({ closed }) => closed));
    };

    const loggedErrors = () =>
      gateway
        .log()
        .split("\n")
        .filter((line) => line.includes('"level":50'));

    test("take 4 MiB from an address without a key, and nothing from callers with a key", async () => {
      const fits = (4 * MEBI) / (16 * KIBI);
      const connections = halfSend(fits + 20, 16 * KIBI, "POST /graphql");
      expect(new Set(await rejected(connections, 20))).toEqual(new Set([503]));
      expect((await post(16 * KIBI, null)).status).toBe(503);
      expect((await post(64 * KIBI)).status).toBe(200);
      await end(connections);
      await waitUntil(async () => (await post(16 * KIBI, null)).status === 200);
      expect(loggedErrors()).toEqual([]);
    });

    test("take 32 MiB from an organization's keys, and nothing from others", async () => {
      await addOrganization(gateway, "greedy");
      const connections: RawConnection[] = [];
      for (let i = 0; i < 6; i++) {
        const { secret } = await mint(gateway, { agent: "greedy-agent" });
        connections.push(...halfSend(11, MEBI, "POST /v1/pets", `Authorization: Bearer ${secret}\r\n`));
      }
      expect(new Set(await rejected(connections, 6 * 11 - 32))).toEqual(new Set([503]));
      expect((await post(64 * KIBI)).status).toBe(200);
      await end(connections);
    });

    test.each(["POST /v1/pets", "DELETE /agent/timers/1"])(
      "at %s take 16 MiB from a key, and nothing from the others, until their clients disconnect",
      async (operation) => {
        const { secret } = await mint(gateway);
        const connections = halfSend(20, MEBI, operation, `Authorization: Bearer ${secret}\r\n`);
        expect(new Set(await rejected(connections, 4))).toEqual(new Set([503]));
        expect((await post(64 * KIBI)).status).toBe(200);
        await end(connections);
        await waitUntil(async () => (await post(64 * KIBI, secret)).status === 200);
        expect(loggedErrors()).toEqual([]);
      },
    );
  });
});

test("a budget is limited in total and for each holder, and returned parts can be taken again", () => {
  const budget = new Budget(100, 25);
  const held = ["a", "b", "c", "d"].map((holder) => budget.take([holder], 25));
  expect(held.every((giveBack) => giveBack !== undefined)).toBe(true);
  expect(budget.take(["e"], 1)).toBeUndefined();
  held[0]?.();
  expect(budget.take(["b"], 1)).toBeUndefined();
  expect(budget.take(["e"], 26)).toBeUndefined();
  expect(budget.take(["e"], 25)).toBeDefined();
});

test("a holder of several kinds gets no more than each kind allows", () => {
  const budget = new Budget(100, 25, 50);
  const held = ["a", "b"].map((key) => budget.take([key, "greedy"], 25));
  expect(held.every((giveBack) => giveBack !== undefined)).toBe(true);
  expect(budget.take(["c", "greedy"], 1)).toBeUndefined();
  // Names of different kinds are independent.
  expect(budget.take(["greedy", "modest"], 25)).toBeDefined();
  held[0]?.();
  expect(budget.take(["c", "greedy"], 25)).toBeDefined();
});
