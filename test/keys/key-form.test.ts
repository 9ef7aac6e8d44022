import { crc32 } from "node:zlib";
import { isWellFormedApiKey, mintApiKey } from "../../src/credentials/token-format";

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const FORM = /^agk_(dev|test|live)_[0-9A-Za-z]{12}_([0-9A-Za-z]{22})([0-9A-Za-z]{6})$/;

const base62 = (text: string) => [...text].reduce((value, digit) => value * 62 + DIGITS.indexOf(digit), 0);

test("a key consists of agk, an environment, a public ID, 131 random bits and a CRC32 of all of them", () => {
  const { secret, hint } = mintApiKey("live");
  const [, environment, random = "", checksum = ""] = FORM.exec(secret) ?? [];
  expect(environment).toBe("live");
  expect(random.length * Math.log2(62)).toBeGreaterThanOrEqual(128);
  expect(base62(checksum)).toBe(crc32(secret.slice(0, -6)));
  expect(secret.startsWith(`${hint}_`)).toBe(true);
});

test("each digit of the random part takes every value", () => {
  const seen = Array.from({ length: 22 }, () => new Set<string>());
  for (let i = 0; i < 2000; i++) {
    const [, , random = ""] = FORM.exec(mintApiKey("dev").secret) ?? [];
    for (const [place, digit] of [...random].entries()) seen[place]?.add(digit);
  }
  expect(seen.map(({ size }) => size)).toEqual(seen.map(() => 62));
});

test("a key with any one digit changed is not well-formed", () => {
  const { secret } = mintApiKey("dev");
  expect(isWellFormedApiKey(secret)).toBe(true);
  for (let place = "agk_dev_".length; place < secret.length; place++) {
    const other = secret[place] === "A" ? "B" : "A";
    expect(isWellFormedApiKey(secret.slice(0, place) + other + secret.slice(place + 1))).toBe(false);
  }
});
