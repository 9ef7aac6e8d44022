import { once } from "node:events";
import { type ClientRequest, type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import { Database } from "../../src/database/database";
import { createDataSource } from "../../src/features";
import { Pet } from "../../src/features/pets/pet.entity";
import { onOneEngine } from "../support/engines";
import { databaseForEach, secretsIn, startServer, type TestServer } from "../support/process";
import { slowTest } from "../support/slow-test";

const keyOf = (server: TestServer) => secretsIn(server.stdout())?.key ?? "";

/** Starts a POST, whose head arrives at the server before its body is sent. */
async function beginPost(server: TestServer, path: string): Promise<ClientRequest> {
  const post = request(`${server.url}${path}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${keyOf(server)}`,
      "content-type": "application/json",
      expect: "100-continue",
    },
  });
  post.flushHeaders();
  await once(post, "continue");
  return post;
}

async function finish(
  post: ClientRequest,
  body: unknown,
): Promise<{ status?: number; headers: IncomingHttpHeaders; body: string }> {
  const response = once(post, "response");
  post.end(JSON.stringify(body));
  const [message] = (await response) as [IncomingMessage];
  return { status: message.statusCode, headers: message.headers, body: await text(message) };
}

onOneEngine((engine) => {
  const testDatabase = databaseForEach(engine);

  slowTest(
    "on SIGTERM, requests in flight are finished and kept, no new ones are accepted, and it exits with code 0",
    async () => {
      const server = await startServer({ DATABASE_URL: testDatabase.url });
      const rest = await beginPost(server, "/v1/pets");
      const graphql = await beginPost(server, "/graphql");
      server.signal("SIGTERM");
      await server.until("stderr", '"stopping"');
      await expect(fetch(`${server.url}/healthz`)).rejects.toThrow();
      const [byRest, byGraphQL] = await Promise.all([
        finish(rest, { name: "Rex", categoryId: 1 }),
        finish(graphql, {
          query: 'mutation { createPet(input: { name: "Tom", categoryId: "1" }) { name } }',
        }),
      ]);
      expect(byRest.status).toBe(201);
      // A client with keep-alive connections does not delay the stop.
      expect([byRest.headers.connection, byGraphQL.headers.connection]).toEqual(["close", "close"]);
      expect(JSON.parse(byGraphQL.body)).toEqual({ data: { createPet: { name: "Tom" } } });
      const { code, stderr } = await server.ended;
      expect(code).toBe(0);
      expect(stderr).toContain('"stopped"');

      const database = await Database.open(createDataSource(testDatabase.url));
      try {
        const pets = await database.read((reader) => reader.find(Pet));
        expect(pets.map(({ name }) => name).sort()).toEqual(["Rex", "Tom"]);
      } finally {
        await database.close();
      }
    },
  );
});
