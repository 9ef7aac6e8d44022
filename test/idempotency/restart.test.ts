import { closedAfterEach } from "../support/closing";
import { onAnyEngine, type TestDatabase } from "../support/engines";
import { startGateway, type TestGateway } from "../support/gateway";
import { slowTest } from "../support/slow-test";

onAnyEngine((engine) => {
  const keep = closedAfterEach();
  let database: TestDatabase;
  beforeAll(async () => {
    database = await engine.createMigratedDatabase();
  });
  afterAll(() => database.drop());

  slowTest("an idempotency key is remembered by the next process on the database", async () => {
    const before = await startGateway(engine, { database });
    const { key } = before;
    const retry = (gateway: TestGateway, path: string, body: object) =>
      gateway.rest("POST", path, { token: key, headers: { "idempotency-key": "order-17" }, body });
    const pet = await retry(before, "/v1/pets", { name: "Rex", categoryId: 1 });
    const message = await retry(before, "/messages", { message: "Hello" });
    await before.close();

    const after = await keep(startGateway(engine, { database }));
    expect((await retry(after, "/v1/pets", { name: "Rex", categoryId: 1 })).body).toEqual(pet.body);
    expect((await retry(after, "/messages", { message: "Hello" })).body).toEqual(message.body);
    expect((await retry(after, "/messages", { message: "Bye" })).body.code).toBe("idempotency_key_reused");
    expect((await after.rest("GET", "/v1/pets", { token: key })).body).toHaveLength(1);
  });
});
