import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import type { TestProcess, TestServer } from "./process";

/** A log line of a service with several workers. */
export interface LogLine {
  pid: number;
  worker?: number;
  reqId?: string;
  msg: string;
}

/**
 * Returns the complete lines that a process has logged.
 * @throws SyntaxError for an incomplete line
 */
export const logOf = (server: TestProcess): LogLine[] =>
  server
    .stderr()
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));

/** Returns the processes that have served as workers. */
export const workersIn = (server: TestProcess): { number: number; pid: number }[] =>
  logOf(server).flatMap(({ msg, worker, pid }) =>
    worker !== undefined && msg.startsWith("Server listening") ? [{ number: worker, pid }] : [],
  );

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

interface Answer {
  status: number | undefined;
  headers: IncomingHttpHeaders;
  body: string;
}

/**
 * Sends a GET request.
 * @param agent a new connection is used by default
 * @throws Error if there is no response
 */
export async function get(
  server: TestServer,
  path: string,
  headers: Record<string, string> = {},
  agent: Agent | false = false,
): Promise<Answer> {
  const call = request(`${server.url}${path}`, { agent, headers });
  call.end();
  const [message] = (await once(call, "response")) as [IncomingMessage];
  return { status: message.statusCode, headers: message.headers, body: await text(message) };
}

/** Opens keep-alive connections until one leads to the worker. */
export async function connectionTo(server: TestServer, worker: number): Promise<Agent> {
  while (true) {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const id = randomUUID();
    await get(server, "/healthz", { "x-request-id": id }, agent);
    await server.until("stderr", id);
    if (logOf(server).some((line) => line.reqId === id && line.worker === worker)) return agent;
    agent.destroy();
  }
}
