import { readFileSync } from "node:fs";
import { timestamp } from "../../src/common/time";
import { Session } from "../../src/features/members/session.entity";
import { SignInThrottle } from "../../src/features/members/sign-in-throttle.entity";
import { createSchema } from "../../src/graphql/schema";
import { accessOf } from "../../src/schema/access";
import { FIELDS } from "../access/table";
import { actionsOn } from "../support/audit";
import { Authenticator } from "../support/authenticator";
import { addPasskey, PASSKEY_ORIGIN, START_SIGN_IN } from "../support/passkeys";
import { addMember, codeOf, firstAgentId, openSession, type TestMember } from "../support/people";
import { describeGateway } from "../support/suite";

const CREATE = "mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { apiKey { id } } }";
const ROTATE = "mutation ($input: RotateApiKeyInput!) { rotateApiKey(input: $input) { apiKey { id } } }";
const CONFIRM =
  "mutation ($input: ConfirmSignInInput!) { confirmSignIn(input: $input) { isCurrent expiresAt } }";
const MINUTE_MS = 60_000;
const random = () => Math.random().toString(36).slice(2);

/** Mutations that must be rejected for a stolen session. */
const SENSITIVE = [
  "changeEmail",
  "changePassword",
  "changePermissions",
  "connectApplication",
  "createApiKey",
  "createOrganizationKey",
  "grantPermission",
  "inviteMember",
  "removePasskey",
  "removePassword",
  "rotateApiKey",
  "startPasskeyRegistration",
  "unlinkIdentity",
];

describeGateway({ engine: "any", env: { PUBLIC_URL: PASSKEY_ORIGIN } }, (gateway) => {
  let manager: TestMember;
  let agentId: string;
  beforeEach(async () => {
    await gateway.services.database.write((tx) => tx.clear(SignInThrottle));
    manager = await addMember(gateway, { manage: true });
    agentId = await firstAgentId(gateway);
  });

  const signedInBefore = (minutes: number) =>
    gateway.services.database.write((tx) =>
      tx.update(
        Session,
        { memberId: manager.id },
        { createdAt: timestamp(-minutes * MINUTE_MS), confirmedAt: null },
      ),
    );
  const ask = (document: string, input: object, token = manager.token) =>
    gateway.graphql(document, { input }, { token });
  const create = (token?: string) => ask(CREATE, { agentId, name: random() }, token);
  const confirm = (password = manager.password) => ask(CONFIRM, { password });

  test("changes that would outlive a stolen session declare it, and no others", () => {
    const fields = Object.values(createSchema().getMutationType()?.getFields() ?? {});
    const declared = fields.filter((field) => accessOf(field)?.recentSignIn).map(({ name }) => name);
    expect(declared.sort()).toEqual(SENSITIVE);
    const [, section = ""] = readFileSync("docs/dashboard.md", "utf8").split("### Recent sign-in");
    const [list = ""] = section.split("After this error");
    expect(list.match(/`[a-z]+[A-Z]\w+`/g)?.sort()).toEqual(SENSITIVE.map((name) => `\`${name}\``));
  });

  test.each(SENSITIVE)("16 minutes after the sign-in, %s is rejected", async (name) => {
    await signedInBefore(16);
    const { document = "", variables } = FIELDS[`Mutation.${name}`] ?? {};
    const fixture = { gateway, agentId, memberOf: () => manager } as never;
    const reply = await gateway.graphql(document, await variables?.(fixture, "a member with permission"), {
      token: manager.token,
    });
    expect([reply.status, codeOf(reply)]).toEqual([403, "recent_sign_in_required"]);
  });

  test.each([
    [14, undefined],
    [16, "recent_sign_in_required"],
  ])("%i minutes after the sign-in, minting a key: %s", async (minutes, code) => {
    await signedInBefore(minutes);
    expect(codeOf(await create())).toBe(code);
  });

  test("a rotation is possible after the sign-in is confirmed", async () => {
    const { id } = (await create()).body.data.createApiKey.apiKey;
    await signedInBefore(16);
    const rotate = () => ask(ROTATE, { id, graceSeconds: 0 });
    expect(codeOf(await rotate())).toBe("recent_sign_in_required");
    await confirm();
    expect(codeOf(await rotate())).toBeUndefined();
  });

  test("the password confirms only the session of the request, which expires as before", async () => {
    const other = await openSession(gateway, manager);
    await signedInBefore(16);
    const [mine] = await gateway.services.database.read((reader) =>
      reader.find(Session, { where: { memberId: manager.id }, order: { id: "ASC" } }),
    );
    expect((await confirm()).body.data.confirmSignIn).toEqual({
      isCurrent: true,
      expiresAt: mine?.expiresAt,
    });
    expect(codeOf(await create())).toBeUndefined();
    expect(codeOf(await create(other))).toBe("recent_sign_in_required");
    expect(await actionsOn(gateway, manager.id)).toContain("member_sign_in_confirmed");
  });

  test("wrong passwords confirm nothing and are limited like signing in", async () => {
    await signedInBefore(16);
    const codes = [];
    for (let i = 0; i < 11; i++) codes.push(codeOf(await confirm(`guess ${i}`)));
    expect(codes).toEqual([...Array(10).fill("invalid_credentials"), "too_many_attempts"]);
    expect(codeOf(await create())).toBe("recent_sign_in_required");
    expect(await actionsOn(gateway, manager.id)).toContain("member_sign_in_confirmation_failed");
  });

  describe("with a passkey", () => {
    let authenticator: Authenticator;
    beforeEach(async () => {
      ({ authenticator } = await addPasskey(gateway, manager));
      await signedInBefore(16);
    });

    const options = async (token = manager.token) =>
      (await ask(START_SIGN_IN, {}, token)).body.data.startPasskeySignIn.options;

    test("the password alone confirms nothing, and the passkey does", async () => {
      expect(codeOf(await confirm())).toBe("passkey_required");
      expect(codeOf(await create())).toBe("recent_sign_in_required");
      const asked = await options();
      expect(asked.allowCredentials).toMatchObject([{ id: authenticator.credentialId }]);
      const passkey = authenticator.get(asked);
      const replies = await Promise.all([ask(CONFIRM, { passkey }), ask(CONFIRM, { passkey })]);
      expect(replies.map(codeOf).sort()).toEqual(["invalid_passkey", undefined]);
      expect(codeOf(await create())).toBeUndefined();
    });

    test("another member's passkey confirms nothing, whoever asked for the challenge", async () => {
      const other = await addMember(gateway);
      const { authenticator: others } = await addPasskey(gateway, other);
      for (const token of [manager.token, other.token]) {
        const passkey = others.get(await options(token));
        expect(codeOf(await ask(CONFIRM, { passkey }))).toBe("invalid_passkey");
      }
      expect(codeOf(await create())).toBe("recent_sign_in_required");
    });

    test("a signature from an ended session confirms nothing", async () => {
      const passkey = authenticator.get(await options());
      await gateway.services.database.write((tx) => tx.delete(Session, { memberId: manager.id }));
      expect(codeOf(await ask(CONFIRM, { passkey }))).toBe("invalid_session");
    });
  });
});
