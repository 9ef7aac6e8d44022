import { createHash } from "node:crypto";
import { ERRORS, type ErrorCode } from "../../src/errors";
import type { Reply, TestGateway } from "../support/gateway";
import { codesOf } from "../support/rejections";

/** Strings that no response may contain. */
const INSIDES =
  /node_modules|\bat .{1,200}\.[cm]?[jt]s:\d+|SQLITE_|QueryFailedError|\$argon2|passwordHash|password_hash|SELECT "|duplicate key value/;

/** Fails if a response leaks a secret, a hash, a statement or a code location. */
export function expectDiscreet({ text }: Reply, gateway: TestGateway): void {
  expect(text).not.toMatch(INSIDES);
  for (const secret of [gateway.key, gateway.ownerCredentials.password]) {
    expect(text).not.toContain(secret);
    for (const form of ["hex", "base64", "base64url"] as const) {
      expect(text).not.toContain(createHash("sha256").update(secret).digest(form));
    }
  }
}

/** Fails unless a response of REST, or of a path without a route, is a success or an error in the table. */
export function expectRestAnswer({ status, body, text }: Reply): void {
  expect(status).toBeLessThan(500);
  if (status < 400 || text === "") return;
  if (body?.errors !== undefined) return;
  expect(Object.keys(body).sort()).toEqual(["code", "message", "status"]);
  expect(body.status).toBe(status);
  expect(ERRORS[body.code as ErrorCode]?.status).toBe(status);
  expect(typeof body.message).toBe("string");
}

/** JSON-RPC and MCP errors that the client causes. */
const CLIENT_ERRORS = [
  -32700, -32600, -32601, -32602, -32000, -32001, -32003, -32004, -32020, -32021, -32022,
];

/** Fails unless an MCP response is a result, an error in the table, or a protocol error caused by the client. */
export function expectMcpAnswer(reply: Reply): void {
  const { status, body, text } = reply;
  if (body?.jsonrpc === undefined) {
    if (status === 202) expect(text).toBe("");
    else expectRestAnswer(reply);
    return;
  }
  expect(status).toBeLessThan(500);
  const { result, error } = body;
  expect(body).toEqual({
    jsonrpc: "2.0",
    id: body.id,
    ...(error === undefined ? { result: expect.any(Object) } : { error: expect.any(Object) }),
  });
  // The library's responses to invalid parameters of its own methods, and to streams.
  if (error?.code === -32603) expect(error.message).toMatch(/^\[\s+\{\s+"|^Subscription limit reached$/);
  else if (error !== undefined) expect(CLIENT_ERRORS).toContain(error.code);
  if (result?.isError !== true) return;
  const rejected = JSON.parse(result.content[0].text);
  expect(ERRORS[rejected.code as ErrorCode]?.status).toBe(rejected.status);
  expect(rejected.status).toBeLessThan(500);
}

/** Fails unless a response is a GraphQL response whose errors have only messages and codes in the table. */
export function expectGraphQLAnswer(reply: Reply): void {
  expect(reply.status).toBeLessThan(500);
  const { data, errors, ...others } = reply.body;
  expect(others).toEqual({});
  expect(data !== undefined || errors?.length > 0).toBe(true);
  for (const code of codesOf(reply)) expect(ERRORS[code as ErrorCode].status).toBeLessThan(500);
}
