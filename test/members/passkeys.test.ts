import { timestamp } from "../../src/common/time";
import { SignInThrottle } from "../../src/features/members/sign-in-throttle.entity";
import { SingleUse } from "../../src/features/members/single-use.entity";
import { auditLog } from "../support/audit";
import { Authenticator, type Deviation } from "../support/authenticator";
import { openBrowser } from "../support/browser";
import {
  ADD_PASSKEY,
  addPasskey,
  PASSKEY_ORIGIN as ORIGIN,
  SIGN_IN_WITH_PASSKEY,
  START_REGISTRATION,
  START_SIGN_IN,
  signInWithPasskey,
  startRegistration,
  startSignIn,
  storePasskey,
} from "../support/passkeys";
import { addMember, codeOf, type TestMember } from "../support/people";
import { runCliForJson } from "../support/process";
import { describeGateway } from "../support/suite";

const PASSWORD = "mutation ($input: SignInInput!) { signIn(input: $input) { token } }";
const LIST = "query ($id: ID) { passkeys(memberId: $id) { id name createdAt lastUsedAt } }";
const RENAME = "mutation ($input: RenamePasskeyInput!) { renamePasskey(input: $input) { name } }";
const REMOVE = "mutation ($id: ID!) { removePasskey(input: { id: $id }) { id } }";

const env = { TRUST_PROXY: "true", PUBLIC_URL: ORIGIN };

describeGateway({ engine: "any", env }, (gateway) => {
  let member: TestMember;
  beforeEach(async () => {
    await gateway.services.database.write(async (tx) => {
      await tx.clear(SignInThrottle);
      await tx.clear(SingleUse);
    });
    member = await addMember(gateway);
  });

  const ask = (document: string, variables: Record<string, unknown>, token: string | null = member.token) =>
    gateway.graphql(document, variables, { token });
  const add = (input: object, token = member.token) => ask(ADD_PASSKEY, { input }, token);
  const finish = (input: object) => ask(SIGN_IN_WITH_PASSKEY, { input }, null);
  const password = ({ email, password }: TestMember) =>
    ask(PASSWORD, { input: { email, password } }, null).then(codeOf);
  const actions = async () =>
    (await auditLog(gateway, { targetId: member.id })).map(({ action }: { action: string }) => action);
  const expireChallenges = () =>
    gateway.services.database.write((tx) =>
      tx.query("update single_use set expires_at = $1", [timestamp(-1)]),
    );

  describe("adding", () => {
    test("the options require a verified user of this service, and name the member", async () => {
      const options = await startRegistration(gateway, member);
      expect(options).toMatchObject({
        rp: { id: "gateway.example.com" },
        user: { name: member.email, id: Buffer.from(member.id).toString("base64url") },
        attestation: "none",
        authenticatorSelection: { residentKey: "preferred", userVerification: "required" },
        excludeCredentials: [],
      });
      const { authenticator } = await addPasskey(gateway, member);
      expect((await startRegistration(gateway, member)).excludeCredentials).toMatchObject([
        { id: authenticator.credentialId, transports: ["internal"] },
      ]);
    });

    test("several are listed with names and last use, renamed and removed", async () => {
      const { id, authenticator } = await addPasskey(gateway, member, { name: "  Laptop " });
      await addPasskey(gateway, member, { name: "Key ring" });
      await signInWithPasskey(gateway, authenticator);
      expect((await ask(LIST, {})).body.data.passkeys).toEqual([
        { id, name: "Laptop", createdAt: expect.any(String), lastUsedAt: expect.any(String) },
        expect.objectContaining({ name: "Key ring", lastUsedAt: null }),
      ]);
      expect((await ask(RENAME, { input: { id, name: " Phone " } })).body.data.renamePasskey.name).toBe(
        "Phone",
      );
      expect(codeOf(await ask(REMOVE, { id }))).toBeUndefined();
      expect(codeOf(await ask(REMOVE, { id }))).toBe("not_found");
      expect(codeOf(await signInWithPasskey(gateway, authenticator))).toBe("invalid_passkey");
      expect((await ask(LIST, {})).body.data.passkeys).toHaveLength(1);
      const entries = await auditLog(gateway, { targetId: member.id });
      const changed = (action: string) =>
        entries.find((entry: { action: string }) => entry.action === action)?.changes;
      expect(changed("member_passkey_renamed")).toEqual([
        { field: "passkey", before: "Laptop", after: "Phone" },
      ]);
      expect(changed("member_passkey_removed")).toEqual([{ field: "passkey", before: "Phone", after: null }]);
    });

    test.each<[string, Deviation]>([
      ["another origin", { origin: "https://gateway.example.org" }],
      ["another relying party", { rpId: "example.com" }],
      ["another challenge", { challenge: Buffer.alloc(32).toString("base64url") }],
      ["the type of a sign-in", { type: "webauthn.get" }],
      ["an unverified user", { userVerified: false }],
    ])("one with %s is not added", async (_, deviation) => {
      const authenticator = new Authenticator(ORIGIN);
      const input = authenticator.create(await startRegistration(gateway, member), deviation);
      expect(codeOf(await add({ ...input, name: "x" }))).toBe("invalid_passkey");
      expect((await ask(LIST, {})).body.data.passkeys).toEqual([]);
    });

    test("a challenge works once, for five minutes, in the session that got it", async () => {
      const other = await addMember(gateway);
      const make = async () => ({
        ...new Authenticator(ORIGIN).create(await startRegistration(gateway, member)),
        name: "x",
      });
      const stolen = await make();
      expect(codeOf(await add(stolen, other.token))).toBe("invalid_passkey");
      const late = await make();
      await expireChallenges();
      expect(codeOf(await add(late))).toBe("invalid_passkey");
      const replaced = await make();
      const used = await make();
      expect(codeOf(await add(replaced))).toBe("invalid_passkey");
      const codes = await Promise.all([add(used), add(used), add(used)]);
      expect(codes.map(codeOf).sort()).toEqual(["invalid_passkey", "invalid_passkey", undefined]);
      expect((await ask(LIST, {})).body.data.passkeys).toHaveLength(1);
    });

    test("a credential belongs to one member", async () => {
      const { authenticator } = await addPasskey(gateway, member);
      const other = await addMember(gateway);
      const input = authenticator.create(await startRegistration(gateway, other));
      expect(codeOf(await add({ ...input, name: "x" }, other.token))).toBe("conflict");
    });

    test("at most 20 per member", async () => {
      for (let i = 0; i < 20; i++) await storePasskey(gateway, member.id);
      expect(codeOf(await ask(START_REGISTRATION, {}))).toBe("limit_reached");
    });

    test.each([
      ["no base64url", { clientDataJSON: "{}", attestationObject: "%%%", credentialId: "\0" }],
      ["nested CBOR", { attestationObject: Buffer.alloc(6_000, 0x81).toString("base64url") }],
      ["a huge map", { attestationObject: Buffer.from("bb00ffffffffffffff", "hex").toString("base64url") }],
      ["nothing", { clientDataJSON: "", attestationObject: "", credentialId: "" }],
    ])("%s is rejected", async (_, parts) => {
      const input = new Authenticator(ORIGIN).create(await startRegistration(gateway, member));
      expect(codeOf(await add({ ...input, ...parts, name: "x" }))).toBe("invalid_passkey");
    });
  });

  describe("signing in", () => {
    let authenticator: Authenticator;
    beforeEach(async () => {
      ({ authenticator } = await addPasskey(gateway, member));
    });

    test("a passkey alone opens a session, with the usual audit log entry", async () => {
      const { body } = await signInWithPasskey(gateway, authenticator);
      expect(body.data.signInWithPasskey).toEqual({
        token: expect.stringMatching(/^ags_/),
        member: { id: member.id },
      });
      const { token } = body.data.signInWithPasskey;
      expect((await ask("{ viewer { id } }", {}, token)).body.data.viewer.id).toBe(member.id);
      expect((await actions())[0]).toBe("member_signed_in");
    });

    test("the browser's cookie is set as with a password", async () => {
      const browser = openBrowser(gateway);
      const input = authenticator.get(await startSignIn(gateway));
      const document =
        "mutation ($input: SignInWithPasskeyAndCookieInput!) { signInWithPasskeyAndCookie(input: $input) { member { id } } }";
      const { body } = await browser.ask(document, { input });
      expect(body.data.signInWithPasskeyAndCookie.member.id).toBe(member.id);
      expect((await browser.ask("{ viewer { id } }")).body.data.viewer.id).toBe(member.id);
    });

    test("the password alone opens no session, but starts a sign-in with the member's passkeys", async () => {
      expect(await password(member)).toBe("passkey_required");
      expect(await password({ ...member, password: "a wrong password" })).toBe("invalid_credentials");
      expect((await actions()).slice(0, 2)).toEqual(["member_sign_in_failed", "member_passkey_required"]);
      const options = await startSignIn(gateway, member);
      expect(options.allowCredentials).toMatchObject([{ id: authenticator.credentialId }]);
      expect(codeOf(await finish(authenticator.get(options)))).toBeUndefined();
    });

    test("a challenge that follows a password works only for its member", async () => {
      const other = await addMember(gateway);
      const { authenticator: others } = await addPasskey(gateway, other);
      const options = await startSignIn(gateway, member);
      expect(codeOf(await finish(others.get(options)))).toBe("invalid_passkey");
    });

    test.each<[string, Deviation]>([
      ["another origin", { origin: "https://gateway.example.org" }],
      ["another relying party", { rpId: "example.com" }],
      ["another challenge", { challenge: Buffer.alloc(32).toString("base64url") }],
      ["the type of a registration", { type: "webauthn.create" }],
      ["an unverified user", { userVerified: false }],
      ["another member's handle", { userHandle: Buffer.from(crypto.randomUUID()).toString("base64url") }],
    ])("%s opens no session", async (_, deviation) => {
      expect(codeOf(await signInWithPasskey(gateway, authenticator, deviation))).toBe("invalid_passkey");
      expect(await actions()).not.toContain("member_passkey_cloned");
      // The passkey itself still works.
      expect(codeOf(await signInWithPasskey(gateway, authenticator))).toBeUndefined();
    });

    test("unknown passkeys, wrong signatures and malformed parts get the same response", async () => {
      const right = async () => authenticator.get(await startSignIn(gateway));
      const answers = [
        await finish(new Authenticator(ORIGIN).get(await startSignIn(gateway))),
        await finish({ ...(await right()), signature: "MEUCIQ" }),
        await finish({ ...(await right()), authenticatorData: "" }),
        await finish({ ...(await right()), credentialId: "\0" }),
        await finish({ ...(await right()), clientDataJSON: "bm90IEpTT04" }),
        await finish({ ...(await right()), userHandle: "" }),
      ];
      expect(new Set(answers.map(({ body }) => JSON.stringify(body.errors[0].message))).size).toBe(1);
      expect(answers.map(codeOf)).toEqual(Array(6).fill("invalid_passkey"));
    });

    test("a signature works once, even at the same time, and for five minutes", async () => {
      const input = authenticator.get(await startSignIn(gateway));
      const replies = await Promise.all([finish(input), finish(input), finish(input)]);
      expect(replies.map(codeOf).sort()).toEqual(["invalid_passkey", "invalid_passkey", undefined]);
      const late = authenticator.get(await startSignIn(gateway));
      await expireChallenges();
      expect(codeOf(await finish(late))).toBe("invalid_passkey");
    });

    test("a challenge for adding a passkey is not valid for a sign-in", async () => {
      const { challenge, rp } = await startRegistration(gateway, member);
      expect(codeOf(await finish(authenticator.get({ challenge, rpId: rp.id })))).toBe("invalid_passkey");
    });

    test("a signature count that decreases or stays the same is rejected and recorded", async () => {
      const codes = [];
      for (const counter of [5, 6, 6, 2, 0, 7])
        codes.push(codeOf(await signInWithPasskey(gateway, authenticator, { counter })));
      expect(codes).toEqual([undefined, undefined, ...Array(3).fill("invalid_passkey"), undefined]);
      expect((await actions()).filter((action: string) => action === "member_passkey_cloned")).toHaveLength(
        3,
      );
    });

    test("counts up to the max count of authenticators are stored exactly", async () => {
      const counter = 2 ** 32 - 1;
      expect(codeOf(await signInWithPasskey(gateway, authenticator, { counter }))).toBeUndefined();
      expect(codeOf(await signInWithPasskey(gateway, authenticator, { counter: counter - 1 }))).toBe(
        "invalid_passkey",
      );
    });

    test("one of several concurrent sign-ins with the same count succeeds", async () => {
      const inputs = await Promise.all(
        [1, 2, 3].map(async () => authenticator.get(await startSignIn(gateway), { counter: 9 })),
      );
      const codes = (await Promise.all(inputs.map(finish))).map(codeOf);
      expect(codes.sort()).toEqual(["invalid_passkey", "invalid_passkey", undefined]);
    });

    test("attempts count for the client's address, and successes do not", async () => {
      const call = { token: null, headers: { "x-forwarded-for": "192.0.2.77" } };
      const start = () => gateway.graphql(START_SIGN_IN, { input: {} }, call);
      for (let i = 0; i < 3; i++) {
        const input = authenticator.get(await startSignIn(gateway, undefined, call));
        expect(codeOf(await gateway.graphql(SIGN_IN_WITH_PASSKEY, { input }, call))).toBeUndefined();
      }
      const codes = [];
      for (let i = 0; i < 51; i++) codes.push(codeOf(await start()));
      expect(codes).toEqual([...Array(50).fill(undefined), "too_many_attempts"]);
    });

    test("after the second factor, no attempt counts for the account", async () => {
      for (let i = 0; i < 12; i++) {
        expect(await password(member)).toBe("passkey_required");
        expect(codeOf(await finish(authenticator.get(await startSignIn(gateway, member))))).toBeUndefined();
      }
    });
  });

  describe("recovery", () => {
    test("a manager removes a member's passkeys, and the password signs in again", async () => {
      const { id } = await addPasskey(gateway, member);
      const stranger = await addMember(gateway);
      expect(codeOf(await ask(LIST, { id: member.id }, stranger.token))).toBe("forbidden");
      expect(codeOf(await ask(REMOVE, { id }, stranger.token))).toBe("not_found");
      expect(codeOf(await ask(RENAME, { input: { id, name: "x" } }, gateway.owner))).toBe("not_found");
      expect((await ask(LIST, { id: member.id }, gateway.owner)).body.data.passkeys).toHaveLength(1);
      expect(await password(member)).toBe("passkey_required");
      expect(codeOf(await ask(REMOVE, { id }, gateway.owner))).toBeUndefined();
      expect(await password(member)).toBeUndefined();
    });

    test("the command line lists and removes a member's passkeys", async () => {
      const { id } = await addPasskey(gateway, member);
      const run = (...args: string[]) => runCliForJson(gateway.databaseUrl, "members", ...args);
      expect(await run("passkeys", member.email)).toEqual([
        { id, name: "Laptop", createdAt: expect.any(String), lastUsedAt: null },
      ]);
      expect(await run("remove-passkeys", member.email)).toEqual({ removed: 1 });
      expect(await run("passkeys", member.email)).toEqual([]);
      expect(await password(member)).toBeUndefined();
      expect(await actions()).toContain("member_passkey_removed");
    });

    test("a removed member's passkey cannot be used to sign in", async () => {
      const { authenticator } = await addPasskey(gateway, member);
      const input = authenticator.get(await startSignIn(gateway));
      const remove = "mutation ($id: ID!) { removeMember(input: { id: $id }) { id } }";
      expect(codeOf(await ask(remove, { id: member.id }, gateway.owner))).toBeUndefined();
      expect(codeOf(await finish(input))).toBe("invalid_passkey");
    });
  });
});
