import { Agent, request } from "node:http";

/** The response to a request, and whether the request was sent before or after the turning point. */
export interface Sample {
  server: string;
  sent: "before" | "after";
  status: number;
  code: string | undefined;
}

/** A client that presents one key to several servers without a pause. */
export interface Hammer {
  /** Settles after every server has answered this many requests, without waiting for more. */
  warm(count: number): Promise<void>;
  /** Makes later requests count as sent after the turning point. */
  turn(): void;
  /**
   * Sends this many more requests to each server, then stops.
   * @returns all responses
   */
  finish(count: number): Promise<Sample[]>;
}

const CONNECTIONS = 4;

/** Starts sending requests to both APIs of each server over keep-alive connections. */
export function hammer(servers: readonly string[], secret: string): Hammer {
  const agent = new Agent({ keepAlive: true });
  const samples: Sample[] = [];
  let sent: Sample["sent"] = "before";
  let enough = Number.POSITIVE_INFINITY;
  const watchers = new Set<() => void>();
  const counts = new Map<string, number>();
  const answered = (server: string, when: Sample["sent"]) => counts.get(`${when} ${server}`) ?? 0;

  const work = async (server: string) => {
    while (answered(server, "after") < enough) {
      for (const ask of [byRest, byGraphQL]) {
        // Read before the request is sent, because its response may come after the turning point.
        const when = sent;
        samples.push({ server, sent: when, ...(await ask(agent, server, secret)) });
        counts.set(`${when} ${server}`, answered(server, when) + 1);
        for (const watcher of watchers) watcher();
      }
    }
  };
  const workers = Promise.all(
    servers.flatMap((server) => Array.from({ length: CONNECTIONS }, () => work(server))),
  );

  return {
    warm: async (count) => {
      const warm = new Promise<void>((resolve) => {
        watchers.add(() => {
          if (servers.every((server) => answered(server, "before") >= count)) resolve();
        });
      });
      // The workers end here only if one of them has failed.
      await Promise.race([warm, workers]);
    },
    turn: () => {
      sent = "after";
    },
    finish: async (count) => {
      enough = count;
      await workers;
      agent.destroy();
      return samples;
    },
  };
}

type Answer = Pick<Sample, "status" | "code">;

const byRest = (agent: Agent, server: string, secret: string): Promise<Answer> =>
  ask(agent, `${server}/agent/whoami`, "GET", secret);

const byGraphQL = (agent: Agent, server: string, secret: string): Promise<Answer> =>
  ask(agent, `${server}/graphql`, "POST", secret, '{"query":"{ whoami { key { id } } }"}');

function ask(agent: Agent, url: string, method: string, secret: string, body?: string): Promise<Answer> {
  const headers = { authorization: `Bearer ${secret}`, ...(body && { "content-type": "application/json" }) };
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method, agent, headers }, (incoming) => {
      let text = "";
      incoming.setEncoding("utf8");
      incoming.on("data", (chunk) => {
        text += chunk;
      });
      incoming.on("end", () => {
        const answer = JSON.parse(text);
        resolve({
          status: incoming.statusCode ?? 0,
          code: answer.errors?.[0].extensions.code ?? answer.code,
        });
      });
    });
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}
