import { PET_ORDER } from "../../src/features/pets/pet.entity";
import { postgres } from "../support/engines";
import { startGateway, type TestGateway } from "../support/gateway";
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

  test.each(adders)("%s", async (_, add) => {
    const gateway = await startGateway(postgres);
    const { database } = gateway.services;
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
      expect((await gateway.rest("GET", "/v1/pets")).body).toEqual([]);
      commit();
      await slow;
      await quick;
      const { body } = await gateway.rest("GET", "/v1/pets");
      expect(body.map(({ id }: { id: number }) => id)).toEqual([1, 2]);
      expect(body[0].name).toBe("Slow");
    } finally {
      commit();
      await gateway.close();
    }
  });
});
