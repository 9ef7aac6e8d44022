import { Permission } from "../../src/auth/permissions";
import { Passkey } from "../../src/features/members/passkey.entity";
import { mint, mintForOrganization, operator, type TestGateway } from "../support/gateway";
import { expire } from "../support/keys";
import { addMember, addOrganization, openSession, type TestMember } from "../support/people";

/** Every kind of caller, in the order of their calls. */
export const CALLERS = [
  "anonymous",
  "an agent key",
  "a key with only pets:read",
  "a revoked key",
  "an expired key",
  "a key of a deactivated organization",
  "an organization key",
  "an organization key with only members:read",
  "an organization key of another organization",
  "a member without permission",
  "a member with conversations:read",
  "a member with conversations:write",
  "a member with permission",
  "a member of a deactivated organization",
  "a member of another organization",
] as const;

export type CallerName = (typeof CALLERS)[number];

/** A gateway with a token for each caller and the objects that they request, all in the first organization. */
export interface AccessFixture {
  gateway: TestGateway;
  agentId: string;
  /** The caller's bearer token; null for none. */
  tokenOf(caller: CallerName): string | null;
  /** Returns the member behind a caller, if any. */
  memberOf(caller: CallerName): TestMember | undefined;
  /** Restores the sessions and organizations that a call may have ended or switched. */
  restore(caller: CallerName): Promise<void>;
}

/** Adds every caller to a gateway. */
export async function accessFixture(gateway: TestGateway): Promise<AccessFixture> {
  const { services } = gateway;
  const off = await addOrganization(gateway, "switched-off");
  const other = await addOrganization(gateway, "another");
  const people: Partial<Record<CallerName, TestMember>> = {
    "a member without permission": await addMember(gateway),
    "a member with conversations:read": await addMember(gateway, {
      permissions: [Permission.conversations_read],
    }),
    "a member with conversations:write": await addMember(gateway, {
      permissions: [Permission.conversations_write],
    }),
    "a member with permission": await addMember(gateway, { manage: true }),
    "a member of a deactivated organization": off.manager,
    "a member of another organization": other.manager,
  };
  const keys: Partial<Record<CallerName, { id: string; secret: string }>> = {
    "an agent key": await mint(gateway),
    "a key with only pets:read": await mint(gateway, { scopes: ["pets:read"] }),
    "a revoked key": await mint(gateway),
    "an expired key": await mint(gateway),
    "a key of a deactivated organization": await mint(gateway, { agent: "switched-off-agent" }),
    "an organization key": await mintForOrganization(gateway),
    "an organization key with only members:read": await mintForOrganization(gateway, {
      scopes: ["members:read"],
    }),
    "an organization key of another organization": await mintForOrganization(gateway, { org: "another" }),
  };
  await services.keys.revoke(await operator(gateway), keys["a revoked key"]?.id ?? "");
  await expire(gateway, keys["an expired key"]?.id ?? "");

  const fixture: AccessFixture = {
    gateway,
    agentId: (await services.agents.bySlug("first-agent")).id,
    tokenOf: (caller) => people[caller]?.token ?? keys[caller]?.secret ?? null,
    memberOf: (caller) => people[caller],
    restore: async (caller) => {
      const member = people[caller];
      if (member !== undefined) {
        await services.database.write((tx) => tx.delete(Passkey, { memberId: member.id }));
        const row = await services.members.byEmail(member.email);
        if (!row.hasPassword)
          await services.sessions.setPassword(await operator(gateway), row, member.password);
        member.token = await openSession(gateway, member);
      }
      for (const org of ["first", "another"])
        await services.organizations.reactivate(await operator(gateway, org));
      await services.organizations.deactivate(await operator(gateway, "switched-off"));
    },
  };
  await services.organizations.deactivate(await operator(gateway, "switched-off"));
  return fixture;
}
