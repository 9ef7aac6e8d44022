import { Ordered } from "../../src/database/database";
import { postgres } from "../support/engines";
import { startGateway } from "../support/gateway";

test("on PostgreSQL an animal that is added later is not seen before one whose commit is slow", async () => {
  const gateway = await startGateway(postgres);
  const { database } = gateway.services;
  let commit = () => {};
  const slow = database.write(async (tx) => {
    await database.keepOrder(tx, Ordered.pets);
    await tx.query("insert into pet (name, category_id) values ('Slow', 1)");
    await new Promise<void>((resolve) => {
      commit = resolve;
    });
  });
  try {
    let answered = false;
    const quick = gateway
      .rest("POST", "/v1/pets", { body: { name: "Quick", categoryId: 1 } })
      .then((reply) => {
        answered = true;
        return reply;
      });
    const waiting = async () =>
      (await database.read((reader) => reader.query("SELECT 1 FROM pg_locks WHERE NOT granted"))).length > 0;
    while (!answered && !(await waiting()));
    expect(answered).toBe(false);
    expect((await gateway.rest("GET", "/v1/pets")).body).toEqual([]);
    commit();
    await slow;
    expect((await quick).status).toBe(201);
    const names = (await gateway.rest("GET", "/v1/pets")).body.map(({ name }: { name: string }) => name);
    expect(names).toEqual(["Slow", "Quick"]);
  } finally {
    commit();
    await gateway.close();
  }
});
