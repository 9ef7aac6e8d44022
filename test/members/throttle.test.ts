import argon2 from "@node-rs/argon2";
import { SignInThrottle } from "../../src/members/sign-in-throttle.entity";
import { timestamp } from "../../src/validation/timestamp";
import { onEachEngine, sqlite } from "../support/engines";
import { type Reply, startGateway, type TestGateway } from "../support/gateway";
import { addMember, codeOf } from "../support/people";
import { suiteGateway } from "../support/suite";

const SIGN_IN = "mutation ($input: SignInInput!) { signIn(input: $input) { token } }";
/** Attempts in a quarter of an hour: for one account from one address, from everywhere, from one address. */
const PER_PAIR = 10;
const PER_ACCOUNT = 100;
const PER_ADDRESS = 50;

onEachEngine((engine) => {
  const gateway = suiteGateway(engine, { env: { TRUST_PROXY: "true" } });
  // Each test begins without any attempts.
  beforeEach(() => gateway.services.database.write((tx) => tx.clear(SignInThrottle)));

  const attempt = (email: string, password: string, ip = "192.0.2.1") =>
    gateway.graphql(
      SIGN_IN,
      { input: { email, password } },
      { token: null, headers: { "x-forwarded-for": ip } },
    );
  const attempts = async (count: number, email: (i: number) => string, ip?: (i: number) => string) => {
    const replies: Reply[] = [];
    for (let i = 0; i < count; i++) replies.push(await attempt(email(i), "wrong", ip?.(i)));
    return replies;
  };
  /** As many wrong passwords as close an account, five from each of many addresses, ten at a time. */
  const wrongFromAllOver = async (email: string) => {
    const replies: Reply[] = [];
    for (let i = 0; i < PER_ACCOUNT; i += 10) {
      const from = (j: number) => attempt(email, "wrong", `198.51.${Math.floor((i + j) / 5)}.1`);
      replies.push(...(await Promise.all(Array.from({ length: 10 }, (_, j) => from(j)))));
    }
    return replies;
  };
  const endWindows = () =>
    gateway.services.database.write((tx) =>
      tx
        .createQueryBuilder()
        .update(SignInThrottle)
        .set({ windowEndsAt: timestamp(-1) })
        .execute(),
    );

  test("an account is closed to an address for a while after 10 wrong passwords, known or not", async () => {
    const member = await addMember(gateway);
    const outcomes = [];
    for (const email of [member.email, "nobody@example.com"]) {
      const replies = await attempts(PER_PAIR + 2, () => email);
      outcomes.push(replies.map(({ status, body }) => [status, body]));
      const last = replies.at(-1);
      expect([last?.status, last && codeOf(last)]).toEqual([429, "too_many_attempts"]);
      const seconds = Number(last?.headers.get("retry-after"));
      expect(seconds).toBeGreaterThan(14 * 60);
      expect(seconds).toBeLessThanOrEqual(15 * 60);
    }
    expect(outcomes[0]).toEqual(outcomes[1]);
    expect(outcomes[0]?.map(([status]) => status)).toEqual([...Array(PER_PAIR).fill(401), 429, 429]);
    expect(codeOf(await attempt(member.email, member.password))).toBe("too_many_attempts");
    expect(codeOf(await attempt(member.email, member.password, "192.0.2.99"))).toBeUndefined();
    await endWindows();
    expect(codeOf(await attempt(member.email, member.password))).toBeUndefined();
  });

  test("an account is closed to everybody after 100 wrong passwords from all over", async () => {
    const { email, password } = await addMember(gateway);
    const replies = await wrongFromAllOver(email);
    expect(replies.map(codeOf)).toEqual(replies.map(() => "invalid_credentials"));
    expect(codeOf(await attempt(email, password, "192.0.2.99"))).toBe("too_many_attempts");
  });

  test("an account closed to everybody is open where its owner signed in lately, for few wrong passwords", async () => {
    const { email, password } = await addMember(gateway);
    const home = "192.0.2.50";
    expect(codeOf(await attempt(email, password, home))).toBeUndefined();
    await wrongFromAllOver(email);
    expect(codeOf(await attempt(email, password, "192.0.2.99"))).toBe("too_many_attempts");
    expect(codeOf(await attempt(email, "wrong", home))).toBe("invalid_credentials");
    await attempts(
      PER_PAIR,
      () => email,
      () => home,
    );
    expect(codeOf(await attempt(email, password, home))).toBe("too_many_attempts");
  });

  test("limits hold over two processes and survive a restart, for they are kept in the database", async () => {
    const { email, password } = await addMember(gateway);
    const database = { url: gateway.databaseUrl, drop: async () => undefined };
    const env = { TRUST_PROXY: "true" };
    const other = await startGateway(engine, { env, database });
    const at = (where: TestGateway, typed: string) =>
      where.graphql(
        SIGN_IN,
        { input: { email, password: typed } },
        { token: null, headers: { "x-forwarded-for": "192.0.2.60" } },
      );
    const codes = [];
    for (let i = 0; i < PER_PAIR; i++) codes.push(codeOf(await at(i % 2 === 0 ? gateway : other, "wrong")));
    expect(codes).toEqual(Array(PER_PAIR).fill("invalid_credentials"));
    for (const where of [gateway, other]) {
      expect(codeOf(await at(where, password))).toBe("too_many_attempts");
    }
    await other.close();
    const restarted = await startGateway(engine, { env, database });
    expect(codeOf(await at(restarted, password))).toBe("too_many_attempts");
    await restarted.close();
  });

  test("an address that nobody has costs what a wrong password costs: one look at a hash, as many units of work", async () => {
    const { email } = await addMember(gateway);
    const { database } = gateway.services;
    const spies = [
      jest.spyOn(argon2, "verify"),
      jest.spyOn(database, "read"),
      jest.spyOn(database, "write"),
      jest.spyOn(database, "lookup"),
    ];
    const work = [];
    for (const address of [email, "nobody@example.com"]) {
      for (const spy of spies) spy.mockClear();
      await attempt(address, "wrong");
      work.push(spies.map(({ mock }) => mock.calls.length));
    }
    for (const spy of spies) spy.mockRestore();
    expect(work[0]).toEqual([1, 1, 2, 0]);
    expect(work[1]).toEqual(work[0]);
  });

  test("a right password clears the count of its account", async () => {
    const { email, password } = await addMember(gateway);
    for (let round = 0; round < 2; round++) {
      await attempts(PER_PAIR - 1, () => email);
      expect(codeOf(await attempt(email, password))).toBeUndefined();
    }
  });

  test("concurrent attempts do not slip by", async () => {
    const { email } = await addMember(gateway);
    const replies = await Promise.all(Array.from({ length: 20 }, () => attempt(email, "wrong")));
    const refused = replies.filter((reply) => codeOf(reply) === "too_many_attempts");
    expect(refused).toHaveLength(20 - PER_PAIR);
  });
});

test("an address is closed for a while after 50 attempts, whichever accounts they are for", async () => {
  const gateway = await startGateway(sqlite, { env: { TRUST_PROXY: "true" } });
  try {
    const { email, password } = await addMember(gateway);
    const attempt = (input: object, ip: string) =>
      gateway.graphql(SIGN_IN, { input }, { token: null, headers: { "x-forwarded-for": ip } });
    const from = (i: number) => attempt({ email: `${i}@example.com`, password: "wrong" }, "192.0.2.7");
    const replies = await Promise.all(Array.from({ length: PER_ADDRESS }, (_, i) => from(i)));
    expect(replies.map(codeOf)).toEqual(replies.map(() => "invalid_credentials"));
    const refused = await attempt({ email, password }, "192.0.2.7");
    expect([refused.status, codeOf(refused)]).toEqual([429, "too_many_attempts"]);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(codeOf(await attempt({ email, password }, "192.0.2.8"))).toBeUndefined();
  } finally {
    await gateway.close();
  }
});

test("an IPv6 network of 64 bits counts as one address, and a right password does not count", async () => {
  const gateway = await startGateway(sqlite, { env: { TRUST_PROXY: "true" } });
  try {
    const { email, password } = await addMember(gateway);
    const attempt = (input: object, ip: string) =>
      gateway.graphql(SIGN_IN, { input }, { token: null, headers: { "x-forwarded-for": ip } });
    const wrong = (i: number, ip: string) => attempt({ email: `${i}@example.com`, password: "wrong" }, ip);
    await Promise.all(Array.from({ length: PER_ADDRESS - 1 }, (_, i) => wrong(i, `2001:db8::${i + 1}`)));
    for (let i = 0; i < 3; i++) {
      expect(codeOf(await attempt({ email, password }, "2001:db8:0:0:ffff::1"))).toBeUndefined();
    }
    expect(codeOf(await wrong(98, "2001:db8::aaaa"))).toBe("invalid_credentials");
    expect(codeOf(await wrong(99, "2001:db8:0:0:1:2:3:4"))).toBe("too_many_attempts");
    expect(codeOf(await wrong(99, "2001:db8:0:1::1"))).toBe("invalid_credentials");
  } finally {
    await gateway.close();
  }
});
