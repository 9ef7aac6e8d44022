import argon2 from "@node-rs/argon2";
import { hashPassword, verifyPassword } from "../../src/credentials/password";
import { hashAtRealCost } from "../support/cheap-passwords";

hashAtRealCost();

/** OWASP's recommendation: 19 MiB, two passes. */
const COST = "$argon2id$v=19$m=19456,t=2,p=1$";

test("a password is hashed at the cost that OWASP recommends", async () => {
  const hash = await hashPassword("a password for tests only");
  expect(hash.slice(0, COST.length)).toBe(COST);
  expect(await verifyPassword(hash, "a password for tests only")).toBe(true);
  expect(await verifyPassword(hash, "a password for tests onlY")).toBe(false);
});

test("an account that does not exist costs the same, and every password is wrong", async () => {
  const verify = jest.spyOn(argon2, "verify");
  expect(await verifyPassword(undefined, "a password for tests only")).toBe(false);
  expect(verify.mock.calls.map(([hash]) => String(hash).slice(0, COST.length))).toEqual([COST]);
  verify.mockRestore();
});
