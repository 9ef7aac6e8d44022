import { setImmediate as nextTurn } from "node:timers/promises";
import argon2 from "@node-rs/argon2";
import { operatorFor } from "../../src/auth/context";
import { timestamp } from "../../src/common/time";
import { AuditEntry } from "../../src/features/audit/audit-entry.entity";
import { Session } from "../../src/features/members/session.entity";
import { countLookup, countSignInAttempt } from "../../src/features/members/sign-in-throttle";
import { SignInThrottle } from "../../src/features/members/sign-in-throttle.entity";
import { onAnyEngine, sqlite } from "../support/engines";
import { type Reply, startGateway, type TestGateway } from "../support/gateway";
import { addMember, addOrganization, codeOf } from "../support/people";
import { slowTest } from "../support/slow-test";
import { suiteGateway } from "../support/suite";
import { waitUntil } from "../support/wait-until";

const SIGN_IN = "mutation ($input: SignInInput!) { signIn(input: $input) { token } }";
/** Max attempts in 15 minutes: per account and address, per account, per address, and per IPv6 site. */
const PER_PAIR = 10;
const PER_ACCOUNT = 100;
const PER_ADDRESS = 50;
const PER_SITE = 200;
/** Max concurrent sign-ins. */
const AT_ONCE = 16;
/** Max concurrent sign-ins from one network. */
const AT_ONCE_FROM_ONE = 12;

/** Makes `count` attempts with wrong passwords, as many concurrently as allowed. */
async function inTurns<T>(
  count: number,
  work: (i: number) => Promise<T>,
  atOnce = AT_ONCE_FROM_ONE,
): Promise<T[]> {
  const results: T[] = [];
  // Hundreds of real hashes would take up most of this suite's time.
  const verify = jest.spyOn(argon2, "verify").mockResolvedValue(false);
  while (results.length < count) {
    const next = Array.from(
      { length: Math.min(atOnce, count - results.length) },
      (_, i) => results.length + i,
    );
    results.push(...(await Promise.all(next.map(work))));
  }
  verify.mockRestore();
  return results;
}

onAnyEngine((engine) => {
  const gateway = suiteGateway(engine, { env: { TRUST_PROXY: "true" } });
  // Each test starts without any attempts.
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
  /** Uses up the attempts that an account allows from everywhere, without sending each of them. */
  const closeToEverybody = async (email: string) => {
    const { database } = gateway.services;
    for (let i = 0; i < PER_ACCOUNT; i++)
      await countSignInAttempt(database, email, `198.51.${Math.floor(i / 5)}.1`);
  };
  /** Returns the rows that attempts to sign in may write. */
  const everything = () =>
    gateway.services.database.read(async (reader) => [
      await reader.find(SignInThrottle, { order: { bucket: "ASC" } }),
      await reader.count(AuditEntry),
      await reader.count(Session),
    ]);
  const endWindows = () =>
    gateway.services.database.write((tx) =>
      tx
        .createQueryBuilder()
        .update(SignInThrottle)
        .set({ windowEndsAt: timestamp(-1) })
        .execute(),
    );

  test("an account, known or not, is locked for an address for a while after 10 wrong passwords", async () => {
    const member = await addMember(gateway);
    const outcomes = [];
    for (const email of [member.email, "unknown@example.com"]) {
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

  slowTest("an account is locked for all addresses after 100 wrong passwords", async () => {
    const { email, password } = await addMember(gateway);
    const everywhere = (i: number) => attempt(email, "wrong", `198.51.${Math.floor(i / 5)}.1`);
    const replies = await inTurns(PER_ACCOUNT, everywhere);
    expect(replies.map(codeOf)).toEqual(replies.map(() => "invalid_credentials"));
    expect(codeOf(await attempt(email, password, "192.0.2.99"))).toBe("too_many_attempts");
  });

  test("an account locked for all addresses is open where its owner recently signed in, for a few wrong passwords", async () => {
    const { email, password } = await addMember(gateway);
    const home = "192.0.2.50";
    expect(codeOf(await attempt(email, password, home))).toBeUndefined();
    await closeToEverybody(email);
    expect(codeOf(await attempt(email, password, "192.0.2.99"))).toBe("too_many_attempts");
    expect(codeOf(await attempt(email, password, home))).toBeUndefined();
    await attempts(
      PER_PAIR,
      () => email,
      () => home,
    );
    expect(codeOf(await attempt(email, password, home))).toBe("too_many_attempts");
  });

  slowTest(
    "locked accounts get the same response whether they exist or not, even where the owner is known",
    async () => {
      const { email, password } = await addMember(gateway);
      const [home, office] = ["192.0.2.51", "192.0.2.52"];
      for (const ip of [home, office]) expect(codeOf(await attempt(email, password, ip))).toBeUndefined();
      const answersOf = async (ip: string) =>
        Promise.all(
          [email, "unknown@example.com"].map(async (address) => {
            const { status, body } = await attempt(address, "wrong", ip);
            return [status, body];
          }),
        );
      for (const address of [email, "unknown@example.com"]) await closeToEverybody(address);
      const [known, unknown] = await answersOf(home);
      expect(known).toEqual(unknown);
      expect(known?.[0]).toBe(429);
      await inTurns(PER_ADDRESS, (i) => attempt(`${i}@example.com`, "wrong", office));
      const [knownThere, unknownThere] = await answersOf(office);
      expect(knownThere).toEqual(unknownThere);
      expect(knownThere?.[0]).toBe(429);
    },
  );

  slowTest("a rejected attempt writes nothing, whichever limit rejects it", async () => {
    const { email } = await addMember(gateway);
    await attempts(PER_PAIR, () => email);
    await inTurns(PER_ADDRESS - PER_PAIR, (i) => attempt(`${i}@example.com`, "wrong"));
    await closeToEverybody("closed@example.com");
    const before = await everything();
    const rejected = [
      ...(await inTurns(20, () => attempt(email, "wrong"))),
      ...(await inTurns(20, (i) => attempt(`new-${i}@example.com`, "wrong"))),
      ...(await inTurns(20, (i) => attempt("closed@example.com", "wrong", `203.0.113.${i}`))),
    ];
    expect(rejected.map(codeOf)).toEqual(rejected.map(() => "too_many_attempts"));
    expect(await everything()).toEqual(before);
  });

  test("an operator's new password unlocks the account for the address that was locked out", async () => {
    const { email } = await addMember(gateway);
    await attempts(PER_PAIR + 1, () => email);
    expect(codeOf(await attempt(email, "wrong"))).toBe("too_many_attempts");
    const member = await gateway.services.members.byEmail(email);
    await gateway.services.sessions.setPassword(
      operatorFor(member.organization),
      member,
      "a better password",
    );
    expect(codeOf(await attempt(email, "a better password"))).toBeUndefined();
  });

  slowTest("sign-ins, wrong passwords and resets of one account never deadlock", async () => {
    const { email, password } = await addMember(gateway);
    const member = await gateway.services.members.byEmail(email);
    const reset = () =>
      gateway.services.sessions.setPassword(operatorFor(member.organization), member, password);
    for (let round = 0; round < 5; round++) {
      const replies = await Promise.all(
        Array.from({ length: AT_ONCE - 1 }, (_, i) =>
          attempt(email, i % 2 === 0 ? password : "wrong", `192.0.2.${i % 5}`),
        ),
      );
      await reset();
      expect(replies.map(({ status }) => status).filter((status) => status >= 500)).toEqual([]);
    }
  });

  slowTest(
    "sign-ins beyond the concurrency limit are rejected before anything is parsed, read or written",
    async () => {
      const { email, password, token } = await addMember(gateway);
      const reads = jest.spyOn(gateway.services.database, "read");
      const lookups = jest.spyOn(gateway.services.database, "lookup");
      const hashing = holdHashing();
      const admitted = Array.from({ length: AT_ONCE }, (_, i) =>
        attempt(`${i}@example.com`, "wrong", `192.0.2.${i}`),
      );
      await hashing.reached;
      try {
        // Each admitted attempt reads its member once.
        await waitUntil(() => reads.mock.calls.length >= AT_ONCE);
        const operations = async () =>
          (await gateway.rest("GET", "/metrics", { token: null })).text.match(
            /^gateway_graphql_operations_total.*/gm,
          );
        const operationsBefore = await operations();
        reads.mockClear();
        lookups.mockClear();
        const rejected = await Promise.all(
          Array.from({ length: 50 }, () => attempt(email, password, "192.0.2.200")),
        );
        expect(rejected.map(({ status }) => status)).toEqual(rejected.map(() => 429));
        expect(rejected.map(codeOf)).toEqual(rejected.map(() => "too_many_attempts"));
        expect(rejected[0]?.headers.get("retry-after")).toBe("2");
        expect(reads).not.toHaveBeenCalled();
        expect(lookups).not.toHaveBeenCalled();
        // Operations are counted after parsing, so rejected requests were not parsed. Requests with a key are still accepted.
        expect(await operations()).toEqual(operationsBefore);
        expect(codeOf(await gateway.graphql("{ whoami { agent { id } } }"))).toBeUndefined();
      } finally {
        hashing.release();
      }
      expect((await Promise.all(admitted)).map(codeOf)).toEqual(admitted.map(() => "invalid_credentials"));
      reads.mockRestore();
      lookups.mockRestore();
      expect(codeOf(await gateway.graphql("{ viewer { id } }", {}, { token }))).toBeUndefined();
      expect(codeOf(await attempt(email, password, "192.0.2.200"))).toBeUndefined();
    },
  );

  test("sign-ins from one network leave a quarter to others", async () => {
    const { email, password } = await addMember(gateway);
    const hashing = holdHashing();
    const begun = jest.spyOn(gateway.services.sessions, "signIn");
    const from = (i: number) => attempt(`${i}@example.com`, "wrong", `2001:db8:1:${i}::1`);
    const admitted = Array.from({ length: AT_ONCE_FROM_ONE }, (_, i) => from(i));
    await waitUntil(() => begun.mock.calls.length === AT_ONCE_FROM_ONE);
    expect((await from(AT_ONCE_FROM_ONE)).status).toBe(429);
    const other = attempt(email, password, "2001:db8:2::1");
    await waitUntil(() => begun.mock.calls.length > AT_ONCE_FROM_ONE);
    hashing.release();
    begun.mockRestore();
    expect(codeOf(await other)).toBeUndefined();
    expect((await Promise.all(admitted)).map(codeOf)).toEqual(admitted.map(() => "invalid_credentials"));
  });

  test("the counts of concurrent attempts are read one after the other, so that they do not delay other requests", async () => {
    const { database } = gateway.services;
    let running = 0;
    let most = 0;
    const lookups = jest.spyOn(database, "lookup").mockImplementation(async () => {
      most = Math.max(most, ++running);
      for (let turn = 0; turn < 3; turn++) await nextTurn();
      running -= 1;
      return [];
    });
    // With a stopped clock, no read takes so long that the next one starts before its end.
    jest.useFakeTimers({ doNotFake: ["nextTick", "setImmediate"] });
    try {
      const countsOf = countLookup(database);
      await Promise.all(Array.from({ length: AT_ONCE }, (_, i) => countsOf([`bucket ${i}`])));
      expect([lookups.mock.calls.length, most]).toEqual([AT_ONCE, 1]);
    } finally {
      jest.useRealTimers();
      lookups.mockRestore();
    }
  });

  test("limits apply across two processes and survive a restart, because they are stored in the database", async () => {
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

  /** Returns the outcome of an attempt on each account, and its hash checks and units of work. */
  const workOf = async (emails: readonly string[], ip?: string) => {
    const { database, usageRecorder } = gateway.services;
    // Key usage from earlier tests would otherwise be written and counted during the test.
    await usageRecorder.flush({ all: true });
    const units = (["read", "write", "lookup"] as const).map((name) => jest.spyOn(database, name));
    const spies = [jest.spyOn(argon2, "verify"), ...units];
    const work = [];
    for (const email of emails) {
      for (const spy of spies) spy.mockClear();
      const code = codeOf(await attempt(email, "wrong", ip));
      work.push([code, ...spies.map(({ mock }) => mock.calls.length)]);
    }
    for (const spy of spies) spy.mockRestore();
    return work;
  };

  test("an unknown e-mail address costs the same as a wrong password: one hash check and the same units of work", async () => {
    const { email } = await addMember(gateway);
    const deactivated = await addOrganization(gateway, "deactivated");
    const { organizations } = gateway.services;
    await organizations.deactivate(operatorFor(await organizations.bySlug("deactivated")));
    const emails = [email, "unknown@example.com", deactivated.manager.email];
    expect(await workOf(emails)).toEqual(emails.map(() => ["invalid_credentials", 1, 1, 2, 1]));
  });

  test("an attempt on a locked account costs the same for every account, whether the owner is known there or not", async () => {
    const owner = await addMember(gateway);
    const other = await addMember(gateway);
    const [home, elsewhere] = ["192.0.2.53", "192.0.2.54"];
    expect(codeOf(await attempt(owner.email, owner.password, home))).toBeUndefined();
    const closed = [owner.email, other.email, "nobody@example.com"];
    for (const email of closed) await closeToEverybody(email);
    const [atHome, away] = [await workOf(closed, home), await workOf(closed, elsewhere)];
    expect(atHome).toEqual(closed.map(() => ["too_many_attempts", 1, 1, 2, 1]));
    expect(away).toEqual(closed.map(() => ["too_many_attempts", 0, 0, 0, 1]));
    // An account not known there stays locked, even with the right password.
    expect(codeOf(await attempt(other.email, other.password, home))).toBe("too_many_attempts");
    expect(codeOf(await attempt(owner.email, owner.password, home))).toBeUndefined();
  });

  test("a right password clears the count of its account", async () => {
    const { email, password } = await addMember(gateway);
    for (let round = 0; round < 2; round++) {
      await attempts(PER_PAIR - 1, () => email);
      expect(codeOf(await attempt(email, password))).toBeUndefined();
    }
  });

  test("concurrent attempts cannot bypass the limit", async () => {
    const { email } = await addMember(gateway);
    const replies = await Promise.all(Array.from({ length: AT_ONCE }, () => attempt(email, "wrong")));
    const wrong = replies.filter((reply) => codeOf(reply) === "invalid_credentials");
    expect(wrong).toHaveLength(PER_PAIR);
  });

  test("an address is blocked for a while after 50 attempts, whichever accounts they are for", async () => {
    const { email, password } = await addMember(gateway);
    const replies = await inTurns(PER_ADDRESS, (i) => attempt(`${i}@example.com`, "wrong", "192.0.2.7"));
    expect(replies.map(codeOf)).toEqual(replies.map(() => "invalid_credentials"));
    const rejected = await attempt(email, password, "192.0.2.7");
    expect([rejected.status, codeOf(rejected)]).toEqual([429, "too_many_attempts"]);
    expect(Number(rejected.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(codeOf(await attempt(email, password, "192.0.2.8"))).toBeUndefined();
  });

  const wrong = (i: number, ip: string) => attempt(`${i}@example.com`, "wrong", ip);

  test("an IPv6 network of 64 bits counts as one address, and a right password does not count", async () => {
    const { email, password } = await addMember(gateway);
    await inTurns(PER_ADDRESS - 1, (i) => wrong(i, `2001:db8::${i + 1}`));
    for (let i = 0; i < 3; i++)
      expect(codeOf(await attempt(email, password, "2001:db8:0:0:ffff::1"))).toBeUndefined();
    expect(codeOf(await wrong(98, "2001:db8::aaaa"))).toBe("invalid_credentials");
    expect(codeOf(await wrong(99, "2001:db8:0:0:1:2:3:4"))).toBe("too_many_attempts");
    expect(codeOf(await wrong(99, "2001:db8:0:1::1"))).toBe("invalid_credentials");
  });

  slowTest("an IPv6 site of 48 bits is blocked after 200 attempts from its networks", async () => {
    const replies = await inTurns(PER_SITE, (i) => wrong(i, `2001:db8:1:${i.toString(16)}::1`));
    expect(replies.map(codeOf)).toEqual(replies.map(() => "invalid_credentials"));
    expect(codeOf(await wrong(201, "2001:db8:1:ffff::1"))).toBe("too_many_attempts");
    expect(codeOf(await wrong(201, "2001:db8:2:ffff::1"))).toBe("invalid_credentials");
  });
});

test("long waiting sign-ins cause no other request to be shed", async () => {
  // With a limit of 4 requests, one late request is enough to reject all others.
  const gateway = await startGateway(sqlite, { env: { MAX_REQUESTS_IN_FLIGHT: "4" } });
  const hashing = holdHashing();
  try {
    const late = Array.from({ length: 3 }, (_, i) =>
      gateway.graphql(SIGN_IN, { input: { email: `${i}@example.com`, password: "wrong" } }, { token: null }),
    );
    await hashing.reached;
    // The process's clock decides which requests are late.
    const clock = jest.spyOn(performance, "now");
    const began = performance.now();
    clock.mockImplementation(() => began + 60_000);
    for (let i = 0; i < 5; i++) expect((await gateway.rest("GET", "/agent/whoami")).status).toBe(200);
    clock.mockRestore();
    hashing.release();
    expect((await Promise.all(late)).map(codeOf)).toEqual(late.map(() => "invalid_credentials"));
  } finally {
    hashing.release();
    await gateway.close();
  }
});

/** Holds every password check until it is released. */
function holdHashing() {
  let release = () => {};
  let reach = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const reached = new Promise<void>((resolve) => {
    reach = resolve;
  });
  const { verify } = argon2;
  const spy = jest.spyOn(argon2, "verify").mockImplementation(async (...args) => {
    reach();
    await released;
    return verify(...args);
  });
  return {
    /** Resolves when the first password is being checked. */
    reached,
    release: () => {
      release();
      spy.mockRestore();
    },
  };
}
