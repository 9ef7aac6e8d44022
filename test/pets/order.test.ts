import { PET_ORDER } from "../../src/features/pets/pet.entity";
import { postgres } from "../support/engines";
import type { TestGateway } from "../support/gateway";
import { suiteGateway } from "../support/suite";
import { waitUntil } from "../support/wait-until";

describe("on PostgreSQL, a pet that is added later is not visible before a pet whose commit is slow", () => {
  const adders: [string, (gateway: TestGateway) => Promise<unknown>][] = [
    [
      "by a request",
      (gateway) => gateway.rest("POST", "/v1/pets", { body: { name: "Quick", categoryId: 1 } }),
    ],
    [
      "by a request with an Idempotency-Key",
      (gateway) =>
        gateway.rest("POST", "/v1/pets", {
          body: { name: "Quick", categoryId: 1 },
          headers: { "idempotency-key": "quick" },
        }),
    ],
    ["by the seed command", (gateway) => gateway.services.pets.seed(1)],
  ];

  const gateway = suiteGateway(postgres);
  const names = async () =>
    (await gateway.rest("GET", "/v1/pets")).body.map(({ name }: { name: string }) => name);

  test.each(adders)("%s", async (_, add) => {
    const { database } = gateway.services;
    const before = await names();
    let commit = () => {};
    let inserted = () => {};
    const isInserted = new Promise<void>((resolve) => {
      inserted = resolve;
    });
    const slow = database.write(async (tx) => {
      await tx.lockInsertOrder(PET_ORDER);
      await tx.query("insert into pet (name, category_id) values ('Slow', 1)");
      await new Promise<void>((resolve) => {
        commit = resolve;
        inserted();
      });
    });
    try {
      await isInserted;
      let added = false;
      const quick = add(gateway).then(() => {
        added = true;
      });
      const waiting = async () =>
        (await database.read((reader) => reader.query("SELECT 1 FROM pg_locks WHERE NOT granted"))).length >
        0;
      await waitUntil(async () => added || (await waiting()));
      expect(added).toBe(false);
      expect(await names()).toEqual(before);
      commit();
      await slow;
      await quick;
      const [first, second, ...others] = (await names()).slice(before.length);
      expect([first, others]).toEqual(["Slow", []]);
      expect(second).toMatch(/^(Quick|Pet \d+)$/);
    } finally {
      commit();
    }
  });
});
