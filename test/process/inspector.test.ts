import { sqlite } from "../support/engines";
import { databaseForEach, startServer } from "../support/process";
import { slowTest } from "../support/slow-test";

describe("the inspector", () => {
  const database = databaseForEach(sqlite);

  slowTest("is not opened by SIGUSR1, which is ignored", async () => {
    const server = await startServer({ DATABASE_URL: database.url });
    server.signal("SIGUSR1");
    // The signal has arrived by then.
    for (let i = 0; i < 20; i++) expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    const { code, stderr } = await server.stop();
    expect(code).toBe(0);
    expect(stderr).not.toMatch(/debugger|inspector/i);
  });
});
