import { Agent, request } from "node:http";
import { text } from "node:stream/consumers";
import { Database } from "../../src/database/database";
import { createDataSource } from "../../src/features";
import { Pet } from "../../src/features/pets/pet.entity";
import { secretsIn, type TestServer } from "../support/process";
import { waitUntil } from "../support/wait-until";

const CLIENTS = 16;

/** A write and its result; `status` stays undefined if the connection ended without a response. */
interface Write {
  name: string;
  /** True if the client had sent the whole request when the server got its signal. */
  sentBefore: boolean;
  status?: number;
  body?: string;
}

const WRITES = [
  (name: string) => ({ path: "/v1/pets", body: { name, categoryId: 1 } }),
  (name: string) => ({
    path: "/graphql",
    body: { query: `mutation { createPet(input: { name: "${name}", categoryId: "1" }) { id } }` },
  }),
];

/** Starts clients that write over keep-alive connections until the server is gone. */
export function startLoad(server: TestServer) {
  const agent = new Agent({ keepAlive: true });
  const authorization = `Bearer ${secretsIn(server.stdout())?.key}`;
  const writes: Write[] = [];
  let stopping = false;
  const send = (write: Write, { path, body }: ReturnType<(typeof WRITES)[number]>) =>
    new Promise<void>((resolve) => {
      const post = request(
        `${server.url}${path}`,
        { method: "POST", agent, headers: { authorization, "content-type": "application/json" } },
        async (response) => {
          write.body = await text(response).catch(() => "");
          write.status = response.statusCode ?? 0;
          resolve();
        },
      );
      post.on("error", () => resolve());
      post.end(JSON.stringify(body), () => {
        write.sentBefore = !stopping;
      });
    });
  const client = async (number: number) => {
    for (let i = 0; ; i += 1) {
      const write: Write = { name: `pet ${number}-${i}`, sentBefore: false };
      writes.push(write);
      const inputOf = WRITES[i % 2] ?? WRITES[0];
      if (inputOf !== undefined) await send(write, inputOf(write.name));
      if (write.status === undefined) return;
    }
  };
  const ended = Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)));
  return {
    /** Resolves after `count` responses. */
    answered: (count: number) =>
      waitUntil(() => writes.filter(({ status }) => status !== undefined).length >= count),
    /** Makes later requests count as sent after the signal. */
    tell: () => {
      stopping = true;
    },
    ended: async () => {
      await ended;
      agent.destroy();
      return writes;
    },
  };
}

export async function petNames(databaseUrl: string): Promise<string[]> {
  const database = await Database.open(createDataSource(databaseUrl));
  try {
    return (await database.read((reader) => reader.find(Pet))).map(({ name }) => name);
  } finally {
    await database.close();
  }
}
