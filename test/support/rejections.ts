import { connect } from "node:net";
import { ERRORS, type ErrorCode, type InputProblem } from "../../src/errors";
import { Message } from "../../src/features/messages/message.entity";
import { Pet } from "../../src/features/pets/pet.entity";
import type { Reply, TestGateway } from "./gateway";

/** Checks that none of a suite's rejected input was stored, then stops the gateway. */
export async function closeWithNothingStored(gateway: TestGateway): Promise<void> {
  try {
    expect(await rowsOf(gateway)).toEqual({ pets: 0, messages: 0 });
  } finally {
    await gateway.close();
  }
}

/** Returns the numbers of pets and messages in the database. */
export const rowsOf = ({ services }: TestGateway): Promise<{ pets: number; messages: number }> =>
  services.database.read(async (reader) => ({
    pets: await reader.count(Pet),
    messages: await reader.count(Message),
  }));

/** Expects this error in REST's format: the whole body, the status and the related headers. */
export function expectRestError(reply: Reply, code: ErrorCode): void {
  const { status } = ERRORS[code];
  expect(reply.body).toEqual({ code, message: expect.stringMatching(/\S/), status });
  expect(reply.status).toBe(status);
  expect(reply.headers.get("content-type")).toMatch(/^application\/json/);
  expectChallenge(reply);
}

/**
 * Expects this error in GraphQL's format, without data.
 * @param status by default REST's status, which application/json clients do not always get
 */
export function expectGraphQLError(
  reply: Reply,
  code: ErrorCode,
  status: number = ERRORS[code].status,
): void {
  expect({ code: codesOf(reply)[0], status: reply.status }).toEqual({ code, status });
  expect(Object.values(reply.body.data ?? {}).filter((value) => value !== null)).toEqual([]);
  expectChallenge(reply);
}

/** Returns the codes in a GraphQL response, after checking that its errors contain nothing internal. */
export function codesOf(reply: Reply): string[] {
  const errors: { message: string; extensions: { code: string; problems?: InputProblem[] } }[] =
    reply.body?.errors ?? [];
  for (const error of errors) {
    expect(Object.keys(error)).toEqual(expect.arrayContaining(["message", "extensions"]));
    const { code, problems, ...others } = error.extensions;
    expect(others).toEqual({});
    if (problems !== undefined) {
      expect(code).toBe("invalid_request");
      expect(error.message).toBe(problems.map(({ path, message }) => `${path} ${message}`).join("; "));
    }
    expect(Object.keys(ERRORS)).toContain(code);
  }
  expect(reply.text).not.toMatch(/node_modules|\.[jt]s:\d+|stacktrace/);
  return errors.map(({ extensions }) => extensions.code);
}

/** Expects that a 401 says how to authenticate, and whether the given credential is invalid (RFC 6750). */
const expectChallenge = (reply: Reply): void =>
  expect(reply.headers.get("www-authenticate")).toBe(challengeOf(reply));

/** Returns the `WWW-Authenticate` header that a response must have. */
export function challengeOf({ status, body }: Reply): string | null {
  if (status !== 401 && status !== 403) return null;
  const { code, message } = body.errors ? { ...body.errors[0], ...body.errors[0].extensions } : body;
  if (code === "insufficient_scope")
    return `Bearer error="insufficient_scope", scope="${message.match(/\w+:\w+/)}"`;
  if (status === 403) return null;
  return ["unauthenticated", "invalid_credentials"].includes(code)
    ? "Bearer"
    : 'Bearer error="invalid_token"';
}

/**
 * Sends bytes that no HTTP client would send.
 * @param lines request line and headers; the body follows them
 */
export function sendRaw(url: string, lines: string[], body = ""): Promise<Reply> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(Number(port), hostname);
    socket.on("data", (chunk) => chunks.push(chunk));
    socket.on("error", reject);
    socket.on("end", () => {
      socket.end();
      try {
        resolve(parseAnswer(Buffer.concat(chunks).toString()));
      } catch (error) {
        reject(error);
      }
    });
    const host = lines.some((line) => /^host:/i.test(line)) ? [] : ["Host: localhost"];
    const chunked = lines.some((line) => /^transfer-encoding:/i.test(line));
    const length = body && !chunked ? [`Content-Length: ${Buffer.byteLength(body)}`] : [];
    socket.write(`${[...lines, ...host, ...length, "Connection: close"].join("\r\n")}\r\n\r\n${body}`);
  });
}

function parseAnswer(answer: string): Reply {
  const [head = "", text = ""] = answer.split(/\r\n\r\n(.*)/s);
  const [statusLine = "", ...lines] = head.split("\r\n");
  const headers = new Headers(lines.map((line) => line.split(/: *(.*)/s).slice(0, 2) as [string, string]));
  const status = Number(statusLine.split(" ")[1]);
  if (!(status < 500)) throw new Error(`no answer below 500: ${answer}`);
  const isJson = headers.get("content-type")?.includes("json") === true;
  return { status, headers, text, body: isJson && text ? JSON.parse(text) : undefined };
}
