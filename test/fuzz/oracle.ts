import { createHash } from "node:crypto";
import { ERRORS, type ErrorCode } from "../../src/errors";
import type { Reply, TestGateway } from "../support/gateway";
import { codesOf } from "../support/refusals";

/** What is in no answer, whatever was asked. */
const INSIDES =
  /node_modules|\bat .{1,200}\.[cm]?[jt]s:\d+|SQLITE_|QueryFailedError|\$argon2|passwordHash|password_hash|SELECT "|duplicate key value/;

/** Fails when an answer tells what it must not: a secret, a hash, a statement, a place in the code. */
export function expectDiscreet({ text }: Reply, gateway: TestGateway): void {
  expect(text).not.toMatch(INSIDES);
  for (const secret of [gateway.key, gateway.ownerCredentials.password]) {
    expect(text).not.toContain(secret);
    for (const form of ["hex", "base64", "base64url"] as const) {
      expect(text).not.toContain(createHash("sha256").update(secret).digest(form));
    }
  }
}

/** Fails unless an answer of REST, or of a path without a route, is a success or an error of the table. */
export function expectRestAnswer({ status, body, text }: Reply): void {
  expect(status).toBeLessThan(500);
  if (status < 400 || text === "") return;
  if (body?.errors !== undefined) return;
  expect(Object.keys(body).sort()).toEqual(["code", "message", "status"]);
  expect(body.status).toBe(status);
  expect(ERRORS[body.code as ErrorCode]?.status).toBe(status);
  expect(typeof body.message).toBe("string");
}

/** Fails unless an answer is one of GraphQL, with nothing but codes of the table beside the messages. */
export function expectGraphQLAnswer(reply: Reply): void {
  expect(reply.status).toBeLessThan(500);
  const { data, errors, ...others } = reply.body;
  expect(others).toEqual({});
  expect(data !== undefined || errors?.length > 0).toBe(true);
  for (const code of codesOf(reply)) expect(ERRORS[code as ErrorCode].status).toBeLessThan(500);
}
