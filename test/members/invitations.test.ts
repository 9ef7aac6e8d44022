import { Permission } from "../../src/auth/permissions";
import { timestamp } from "../../src/common/time";
import { Invitation } from "../../src/features/members/invitation.entity";
import { MAX_INVITATIONS } from "../../src/features/members/invitation.service";
import { SignInThrottle } from "../../src/features/members/sign-in-throttle.entity";
import { actionsOn, auditLog } from "../support/audit";
import { openBrowser } from "../support/browser";
import type { Call, Reply } from "../support/gateway";
import {
  addMember,
  addOrganization,
  codeOf,
  invite,
  openSession,
  TEST_PASSWORD as PASSWORD,
} from "../support/people";
import { runCli, runCliForJson } from "../support/process";
import { storedText } from "../support/stored-text";
import { describeGateway } from "../support/suite";

const ACCEPT = `mutation ($input: AcceptInvitationInput!) {
  acceptInvitation(input: $input) { token expiresAt member { id email name permissions organization { slug } } }
}`;
const INVITE = `mutation ($input: InviteMemberInput!) {
  inviteMember(input: $input) { invitation { id email permissions invitedBy } link mail }
}`;
const GONE = "The invitation was used, withdrawn or replaced, or has expired. Ask for a new one.";

const tokenIn = (link: string) => new URL(link).hash.slice(1);
const unique = () => `${Math.random().toString(36).slice(2)}@example.com`;

describeGateway({ engine: "any", env: { TRUST_PROXY: "true" } }, (gateway) => {
  // Each test starts without any attempts and with room for more invitations.
  beforeEach(() =>
    gateway.services.database.write(async (tx) => {
      await tx.clear(SignInThrottle);
      await tx.clear(Invitation);
    }),
  );

  const accept = (token: string, password = PASSWORD, call: Call = { token: null }) =>
    gateway.graphql(ACCEPT, { input: { token, password, name: " Ada " } }, call);
  const acceptedBy = ({ body }: Reply) => body.data?.acceptInvitation;
  const problem = ({ body }: Reply) => body.errors?.[0]?.message;
  const inviteAs = (token: string, email: string, permissions: string[] = []) =>
    gateway.graphql(INVITE, { input: { email, permissions } }, { token });
  const pending = async () =>
    (await gateway.graphql("{ invitations { id email } }", {}, { token: gateway.owner })).body.data
      .invitations;
  const withdraw = (id: string) =>
    gateway.graphql(
      "mutation ($id: ID!) { withdrawInvitation(input: { id: $id }) { id } }",
      { id },
      { token: gateway.owner },
    );

  test("a link leads to the dashboard, with the token in a part that browsers send to no server", async () => {
    const reply = await inviteAs(gateway.owner, "Ada@Example.com", ["conversations_write", "config_manage"]);
    const { invitation, link, mail } = reply.body.data.inviteMember;
    expect(invitation).toEqual({
      id: expect.any(String),
      email: "ada@example.com",
      permissions: ["config_manage", "conversations_write"],
      invitedBy: gateway.ownerCredentials.email,
    });
    expect(mail).toBe("off");
    expect(link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/dashboard\/invitation#agi_[0-9A-Za-z]{49}$/);
    expect(await pending()).toEqual([{ id: invitation.id, email: "ada@example.com" }]);
  });

  test("an accepted invitation creates a member with its permissions, and signs them in", async () => {
    const email = unique();
    const permissions = [Permission.conversations_read];
    const { link, invitation } = await invite(gateway, { email, permissions });
    const { member, token } = acceptedBy(await accept(tokenIn(link)));
    expect(member).toMatchObject({
      email,
      name: "Ada",
      permissions: ["conversations_read"],
      organization: { slug: "first" },
    });
    expect((await gateway.graphql("{ viewer { id } }", {}, { token })).body.data.viewer.id).toBe(member.id);
    expect(await openSession(gateway, { email, password: PASSWORD })).toMatch(/^ags_/);
    expect(await pending()).toEqual([]);
    expect(await actionsOn(gateway, invitation.id)).toEqual(["invitation_created", "invitation_accepted"]);
    expect(await actionsOn(gateway, member.id)).toEqual([
      "member_created",
      "member_signed_in",
      "member_signed_in",
    ]);
    const [created] = await auditLog(gateway, { targetId: member.id, action: "member_created" });
    expect(created.changes).toEqual([{ field: "permissions", before: null, after: "conversations:read" }]);
  });

  test("a retry returns the invitation without its link, as long as it is pending", async () => {
    const email = unique();
    const inviteOnce = (permissions: string[] = []) =>
      gateway.graphql(
        INVITE,
        { input: { email, permissions, idempotencyKey: email } },
        { token: gateway.owner },
      );
    const { invitation, link } = (await inviteOnce()).body.data.inviteMember;
    const again = await inviteOnce();
    expect(again.body.data.inviteMember).toEqual({ invitation, link: null, mail: null });
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect(codeOf(await inviteOnce(["config_manage"]))).toBe("idempotency_key_reused");
    expect(codeOf(await accept(tokenIn(link)))).toBeUndefined();
    expect(codeOf(await inviteOnce())).toBe("not_found");
  });

  test("a link works once, however many accept it at the same time", async () => {
    const { link } = await invite(gateway);
    const replies = await Promise.all(
      Array.from({ length: 5 }, (_, i) => accept(tokenIn(link), `${PASSWORD} ${i}`)),
    );
    expect(replies.map(codeOf).sort()).toEqual([...Array(4).fill("invalid_invitation"), undefined]);
    expect(new Set(replies.map(problem))).toEqual(new Set([undefined, GONE]));
  });

  test("withdrawn, replaced, expired, altered and invented links get the same response", async () => {
    const withdrawn = await invite(gateway);
    expect(codeOf(await withdraw(withdrawn.invitation.id))).toBeUndefined();
    const replaced = await invite(gateway, { email: "replaced@example.com" });
    const replacement = await invite(gateway, { email: "replaced@example.com" });
    const late = await invite(gateway);
    await gateway.services.database.write((tx) =>
      tx.update(Invitation, { id: late.invitation.id }, { expiresAt: timestamp(-1) }),
    );
    const tokens = [withdrawn, replaced, late].map(({ link }) => tokenIn(link));
    const altered = `${tokens[0]?.slice(0, -1)}${tokens[0]?.endsWith("a") ? "b" : "a"}`;
    for (const token of [...tokens, altered, "", "agi_x", "\0", gateway.owner]) {
      const shown = await gateway.graphql(
        "query ($token: String!) { invitation(token: $token) { email } }",
        { token },
        { token: null },
      );
      for (const reply of [await accept(token), shown]) {
        expect([reply.status, codeOf(reply), problem(reply)]).toEqual([401, "invalid_invitation", GONE]);
        if (token !== "") expect(reply.text).not.toContain(token);
      }
    }
    expect(codeOf(await accept(tokenIn(replacement.link)))).toBeUndefined();
  });

  test("a signed-in member may accept, and their session continues", async () => {
    const member = await addMember(gateway);
    const { link } = await invite(gateway);
    expect(codeOf(await accept(tokenIn(link), PASSWORD, { token: member.token }))).toBeUndefined();
    const viewer = await gateway.graphql("{ viewer { email } }", {}, { token: member.token });
    expect(viewer.body.data.viewer.email).toBe(member.email);
  });

  test("in a browser, the new session replaces another one only with the acceptance", async () => {
    const member = await addMember(gateway);
    const { link, invitation } = await invite(gateway);
    const browser = openBrowser(gateway);
    await browser.signIn(member);
    const acceptWith = (password: string) =>
      browser.ask(
        "mutation ($input: AcceptInvitationWithCookieInput!) { acceptInvitationWithCookie(input: $input) { member { email } } }",
        { input: { token: tokenIn(link), password } },
      );
    const viewer = async () => (await browser.ask("{ viewer { email } }")).body.data.viewer.email;
    expect(codeOf(await acceptWith("short"))).toBe("invalid_request");
    expect(await viewer()).toBe(member.email);
    const accepted = await acceptWith(PASSWORD);
    expect(accepted.text).not.toContain("ags_");
    expect(await viewer()).toBe(invitation.email);
    const foreign = { headers: { origin: "https://evil.example", "sec-fetch-site": "cross-site" } };
    const other = tokenIn((await invite(gateway)).link);
    const reply = await gateway.graphql(
      "mutation ($input: AcceptInvitationWithCookieInput!) { acceptInvitationWithCookie(input: $input) { expiresAt } }",
      { input: { token: other, password: PASSWORD } },
      { token: null, ...foreign },
    );
    expect(codeOf(reply)).toBe("forbidden");
    expect(codeOf(await accept(other))).toBeUndefined();
  });

  test("a weak password does not use up the invitation", async () => {
    const { link } = await invite(gateway);
    expect(codeOf(await accept(tokenIn(link), "too short"))).toBe("invalid_request");
    expect(codeOf(await accept(tokenIn(link)))).toBeUndefined();
  });

  test("an address in the same organization is rejected, and an address in another one only for the holder of the link", async () => {
    const own = await addMember(gateway);
    const { manager } = await addOrganization(gateway, `org-${Math.random().toString(36).slice(2)}`);
    expect(codeOf(await inviteAs(gateway.owner, own.email))).toBe("conflict");
    const reply = await inviteAs(gateway.owner, manager.email.toUpperCase());
    expect(codeOf(reply)).toBeUndefined();
    const token = tokenIn(reply.body.data.inviteMember.link);
    const rejected = await accept(token);
    expect([rejected.status, codeOf(rejected)]).toEqual([409, "conflict"]);
    expect(rejected.text).not.toContain("org-");
    expect(await openSession(gateway, manager)).toMatch(/^ags_/);
    // The invitation is still pending, so a manager can withdraw it.
    expect(await pending()).toHaveLength(1);
  });

  test("no one joins a deactivated organization", async () => {
    const slug = `org-${Math.random().toString(36).slice(2)}`;
    const { manager } = await addOrganization(gateway, slug);
    const { link } = await invite(gateway, { org: slug });
    const change = (what: string) =>
      gateway.graphql(`mutation { ${what}Organization { id } }`, {}, { token: manager.token });
    await change("deactivate");
    expect(codeOf(await accept(tokenIn(link)))).toBe("organization_deactivated");
    await change("reactivate");
    expect(codeOf(await accept(tokenIn(link)))).toBeUndefined();
  });

  test("invitations end with their sender's membership or permission", async () => {
    const remove = "mutation ($id: ID!) { removeMember(input: { id: $id }) { id } }";
    const revoke =
      "mutation ($id: ID!) { revokePermission(input: { memberId: $id, permission: config_manage }) { id } }";
    for (const mutation of [remove, revoke]) {
      const sender = await addMember(gateway, { manage: true });
      const { link } = (await inviteAs(sender.token, unique(), ["config_manage"])).body.data.inviteMember;
      const stays = await invite(gateway);
      expect(
        codeOf(await gateway.graphql(mutation, { id: sender.id }, { token: gateway.owner })),
      ).toBeUndefined();
      expect(codeOf(await accept(tokenIn(link)))).toBe("invalid_invitation");
      expect(codeOf(await accept(tokenIn(stays.link)))).toBeUndefined();
    }
  });

  test("attempts count for the address like sign-ins, and a success removes its own", async () => {
    const from = (ip: string) => ({ token: null, headers: { "x-forwarded-for": ip } });
    const { link } = await invite(gateway);
    const gone = tokenIn(link);
    expect(codeOf(await accept(gone, PASSWORD, from("192.0.2.7")))).toBeUndefined();
    const codes = [];
    for (let i = 0; i < 51; i++) codes.push(codeOf(await accept(gone, PASSWORD, from("192.0.2.7"))));
    expect(codes).toEqual([...Array(50).fill("invalid_invitation"), "too_many_attempts"]);
    const another = tokenIn((await invite(gateway)).link);
    expect(codeOf(await accept(another, PASSWORD, from("192.0.2.7")))).toBe("too_many_attempts");
    expect(codeOf(await accept(another, PASSWORD, from("198.51.100.7")))).toBeUndefined();
  });

  test("an organization has limits for its number of invitations and for invitations per minute", async () => {
    const slug = `org-${Math.random().toString(36).slice(2)}`;
    const { manager, id: organizationId } = await addOrganization(gateway, slug);
    const { link, invitation } = (await inviteAs(manager.token, unique())).body.data.inviteMember;
    expect(tokenIn(link)).toMatch(/^agi_/);
    await gateway.services.database.write(async (tx) => {
      const row = await tx.findOneByOrFail(Invitation, { id: invitation.id });
      for (let i = 1; i < MAX_INVITATIONS; i++) {
        const id = `018f0000-0000-7000-8000-${String(i).padStart(12, "0")}`;
        await tx.insert(Invitation, { ...row, id, organizationId, email: unique(), tokenHash: id });
      }
    });
    expect(codeOf(await inviteAs(manager.token, unique()))).toBe("limit_reached");
    expect(codeOf(await inviteAs(manager.token, invitation.email))).toBeUndefined();
    const codes = [];
    for (let i = 0; i < 18; i++) codes.push(codeOf(await inviteAs(manager.token, invitation.email)));
    expect(codes).toEqual([...Array(17).fill(undefined), "too_many_attempts"]);
  });

  test("the command line invites, lists and withdraws", async () => {
    const email = unique();
    const run = (...args: string[]) => runCliForJson(gateway.databaseUrl, "members", ...args);
    const invited = await run("invite", "--org", "first", "--email", email, "--manage");
    expect(invited).toMatchObject({
      email,
      organization: "first",
      permissions: ["config:manage"],
      invitedBy: "command line",
      mail: "off",
      link: expect.stringMatching(/#agi_/),
    });
    const { link, mail, ...listed } = invited;
    expect(await run("invitations", "--org", "first")).toEqual([listed]);
    expect(codeOf(await accept(tokenIn(link)))).toBeUndefined();
    const cli = (...args: string[]) => runCli(gateway.databaseUrl, ["members", ...args]);
    const again = unique();
    const printed = await cli("invite", "--org", "first", "--email", again);
    expect(printed.stdout).toContain("The link will not be shown again. The server does not send e-mail");
    expect((await cli("withdraw", again, "--org", "first")).stdout).toBe(
      `Withdrew the invitation for ${again}.\n`,
    );
    expect((await cli("invitations", "--org", "first")).stdout).toBe(
      "The organization has no pending invitations.\n",
    );
    for (const [code, ...args] of [
      [1, "withdraw", again, "--org", "first"],
      [1, "invite", "--org", "first", "--email", email],
      [2, "invite", "--org", "first", "--email", "nobody"],
      [2, "invite", "--org", "first", "--email", again, "--permissions", "config:eat"],
    ] as const)
      expect(await cli(...args)).toMatchObject({ code, stdout: "" });
  });
});

// Reading SQLite's files drops the locks of the server's process, so no other process may open the database afterwards.
describeGateway({ engine: "any", env: { LOG_LEVEL: "trace" } }, (gateway) => {
  test("no invitation token is in the database, the log or the audit log", async () => {
    const { manager } = await addOrganization(gateway, "secretive");
    const tokens = [];
    for (let i = 0; i < 3; i++) {
      const { link } = (
        await gateway.graphql(INVITE, { input: { email: unique() } }, { token: manager.token })
      ).body.data.inviteMember;
      const token = tokenIn(link);
      tokens.push(token);
      await gateway.graphql(`{ invitation(token: "${token}") { id } }`, {}, { token: null });
      await gateway.rest("GET", `/dashboard/invitation?${token}`, { token: null });
      await gateway.rest("GET", "/v1/pets", { token, headers: { "user-agent": token } });
      await gateway.graphql(
        "mutation ($name: String!) { updateApiKey(input: { id: $name, name: $name }) { id } }",
        { name: token },
        { token: manager.token, headers: { "x-request-id": token } },
      );
      const input = { token, password: PASSWORD };
      const headers = { "user-agent": `x ${token}` };
      for (let uses = 0; uses < i; uses++) await gateway.graphql(ACCEPT, { input }, { token: null, headers });
    }
    const places = {
      database: await storedText(gateway.databaseUrl),
      log: gateway.log(),
      audit: JSON.stringify(await auditLog(gateway, {}, manager.token)),
    };
    expect(places.audit).toContain("agi_[redacted]");
    for (const [place, text] of Object.entries(places))
      for (const token of tokens) {
        expect([place, text.includes(token.slice(4, -6))]).toEqual([place, false]);
      }
  });
});
