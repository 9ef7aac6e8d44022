import { inspect } from "node:util";
import { Webhook } from "standardwebhooks";
import { loadConfig } from "../../src/config";
import { InstanceKey } from "../../src/credentials/instance-key";

const TEXT = Buffer.alloc(32, 7).toString("base64");
const key = InstanceKey.parse(TEXT) as InstanceKey;
const other = InstanceKey.parse(InstanceKey.generate()) as InstanceKey;
const [ROW, ANOTHER_ROW] = ["01a1fcd2-2550-7a0b-8c1f-0c54a1b6b0a1", "01a1fcd2-2550-7a0b-8c1f-0c54a1b6b0a2"];

test("a signing secret is always the same for a row and a generation, and unlike every other", () => {
  const secret = key.deriveSigningSecret(ROW, 1);
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(InstanceKey.parse(TEXT)?.deriveSigningSecret(ROW, 1)).toBe(secret);
  const others = [
    key.deriveSigningSecret(ROW, 2),
    key.deriveSigningSecret(ANOTHER_ROW, 1),
    other.deriveSigningSecret(ROW, 1),
    `whsec_${key.checkValue}`,
  ];
  expect(new Set([secret, ...others]).size).toBe(5);
});

test("the Standard Webhooks library accepts a signing secret", () => {
  const secret = key.deriveSigningSecret(ROW, 1);
  const signature = new Webhook(secret).sign("id", new Date(), "{}");
  const headers = {
    "webhook-id": "id",
    "webhook-timestamp": String(Math.floor(Date.now() / 1000)),
    "webhook-signature": signature,
  };
  expect(new Webhook(secret).verify("{}", headers)).toEqual({});
  expect(() => new Webhook(key.deriveSigningSecret(ROW, 2)).verify("{}", headers)).toThrow();
});

test.each(["hunter2", "", "a password of Zoë's 🐈", "x".repeat(10_000)])(
  "%s can be sealed and opened",
  (text) => {
    const sealed = key.seal(text, ROW);
    expect(sealed).toMatch(/^v1\.[A-Za-z0-9+/]+=*$/);
    if (text !== "") expect(sealed).not.toContain(text);
    expect(key.seal(text, ROW)).not.toBe(sealed);
    expect(key.open(sealed, ROW)).toBe(text);
  },
);

test("a string always gives the same token, which only its key can open, and only unaltered", () => {
  const token = key.sealToken("für ada@customer.test");
  expect(token).toMatch(/^[\w-]+$/);
  expect(InstanceKey.parse(TEXT)?.sealToken("für ada@customer.test")).toBe(token);
  expect(key.sealToken("für ada@customer.tesu").slice(0, 16)).not.toBe(token.slice(0, 16));
  expect(key.openToken(token)).toBe("für ada@customer.test");
  expect(other.openToken(token)).toBeUndefined();
  const bytes = Buffer.from(token, "base64url");
  const flipped = Array.from({ length: 8 * bytes.length }, (_, bit) => {
    const changed = Buffer.from(bytes);
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    return changed.toString("base64url");
  });
  const others = [
    "",
    "A",
    token.slice(0, -1),
    `${token}A`,
    `${token}=`,
    `${token}%`,
    ` ${token}`,
    key.seal("x", ""),
  ];
  for (const text of [...flipped, ...others]) expect(key.openToken(text)).toBeUndefined();
});

test("a sealed string cannot be opened with another key, for another row, or after a change", () => {
  const sealed = key.seal("hunter2", ROW);
  expect(other.open(sealed, ROW)).toBeUndefined();
  expect(key.open(sealed, ANOTHER_ROW)).toBeUndefined();
  const bytes = Buffer.from(sealed.slice(3), "base64");
  for (let i = 0; i < bytes.length; i++) {
    const changed = Buffer.from(bytes);
    changed[i] = (changed[i] ?? 0) ^ 1;
    expect(key.open(`v1.${changed.toString("base64")}`, ROW)).toBeUndefined();
  }
  for (const text of ["", "v1", "v1.", "v1.AAAA", sealed.replace("v1", "v2"), sealed.slice(0, -8)])
    expect(key.open(text, ROW)).toBeUndefined();
});

test.each([
  "hunter2",
  TEXT.slice(0, -1),
  ` ${TEXT}`,
  `${TEXT}\n`,
  Buffer.alloc(31).toString("base64"),
  Buffer.alloc(33).toString("base64"),
  Buffer.alloc(32, 255).toString("base64url"),
  `${"A".repeat(42)}B=`,
])("INSTANCE_KEY=%j is rejected in one line that does not contain it", (text) => {
  expect(InstanceKey.parse(text)).toBeUndefined();
  let message = "";
  try {
    loadConfig({ INSTANCE_KEY: text });
  } catch (error) {
    message = (error as Error).message;
  }
  expect(message).toMatch(/^INSTANCE_KEY must be .+$/);
  expect(message).not.toContain(text.trim());
});

test("a dump of the settings does not show the key", () => {
  const config = loadConfig({ INSTANCE_KEY: TEXT });
  expect(config.instanceKey?.checkValue).toBe(key.checkValue);
  const dumps = [JSON.stringify(config), inspect(config, { depth: 10, showHidden: true }), String(config)];
  for (const dump of dumps) {
    expect(dump).not.toContain(TEXT);
    expect(dump).not.toContain("07 07 07");
    expect(dump).not.toContain("7,7,7");
  }
});
