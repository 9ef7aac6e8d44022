import { onAnyEngine } from "../support/engines";
import { databaseForEach, startServer } from "../support/process";
import { petNames, startLoad } from "./load";

onAnyEngine((engine) => {
  const database = databaseForEach(engine);

  test("answered writes survive a kill of the server under load, each stored once, and the next server works", async () => {
    const server = await startServer({ DATABASE_URL: database.url });
    const load = startLoad(server);
    await load.answered(100);
    server.signal("SIGKILL");
    const writes = await load.ended();
    await server.ended;
    const next = await startServer({ DATABASE_URL: database.url });
    expect((await fetch(`${next.url}/readyz`)).status).toBe(200);
    await next.stop();
    const kept = await petNames(database.url);
    expect(new Set(kept).size).toBe(kept.length);
    const answered = writes.flatMap(({ name, status }) => (status === undefined ? [] : [name]));
    expect(answered.length).toBeGreaterThanOrEqual(100);
    expect(kept).toEqual(expect.arrayContaining(answered));
  });
});
