// One file, because adding, removing and changing members keep the same two rules: a manager remains, and no member
// removes their own last way to sign in.

import { type EntityManager, type FindOptionsWhere, In, IsNull, Not } from "typeorm";
import { v7 as uuid } from "uuid";
import { assertSignedIn } from "../../auth/assert-signed-in";
import { ownerOf } from "../../auth/caller";
import { organizationOf, type RequestContext } from "../../auth/context";
import { PERMISSIONS, Permission } from "../../auth/permissions";
import { indexBy } from "../../common/coalesce";
import { timestamp } from "../../common/time";
import { isUuid } from "../../common/uuid";
import type { Config } from "../../config";
import { hashPassword } from "../../credentials/password";
import type { Database } from "../../database/database";
import { insertUnlessTaken } from "../../database/insert-unless-taken";
import type { Tx } from "../../database/unit-of-work";
import { GatewayError, noSuch } from "../../errors";
import type { HookRegistry } from "../../schema/hooks";
import { endInvitationsOf } from "./end-invitations";
import { memberActions, recordOn } from "./member.audit";
import { MEMBER_CHANGES, Member } from "./member.entity";
import {
  type ChangePermissionsInput,
  type GrantPermissionInput,
  type NewMember,
  normalizeEmail,
  type RevokePermissionInput,
} from "./member.inputs";
import { MemberIdentity } from "./member-identity.entity";
import { Passkey } from "./passkey.entity";
import { Session } from "./session.entity";

declare module "../../schema/hooks" {
  interface Hooks {
    /** Adds a feature's changes to the transaction that holds `MEMBER_CHANGES` and removes a member. */
    memberRemoved: MemberHook;
    /** Revokes a manager's grants upon removal or loss of `config:manage`; the transaction holds `MEMBER_CHANGES`. */
    managerLost: MemberHook;
  }
}

type MemberHook = (tx: Tx, member: Pick<Member, "id">, context: RequestContext) => Promise<void>;

/** Returns the name to store; null if the input has none. */
export const nameFrom = ({ name }: { name?: string | null }): string | null => name?.trim() ?? null;

export const EMAIL_TAKEN = "A member with this e-mail address already exists.";

/** Returns the distinct permissions, in display order. */
export const inOrder = (permissions: readonly Permission[]): Permission[] =>
  PERMISSIONS.filter((permission) => permissions.includes(permission));

/** True if the caller is the member with this ID. */
export const isOwn = ({ caller }: RequestContext, id: string) => caller.kind === "member" && caller.id === id;

/** True if a member has a password, passkey or account at the issuer, ignoring methods that are turned off. */
export async function canSignIn(
  tx: Tx,
  { oidc }: Pick<Config, "oidc">,
  { id: memberId, hasPassword }: Member,
): Promise<boolean> {
  if (!oidc?.isOnly && (hasPassword || (await tx.existsBy(Passkey, { memberId })))) return true;
  const identity = await tx.findOneBy(MemberIdentity, { memberId });
  return identity !== null && isCurrentIssuer(identity.issuer, oidc);
}

/** True if an issuer is the configured one, ignoring a trailing slash. */
const isCurrentIssuer = (issuer: string, oidc: Config["oidc"]): boolean =>
  oidc !== undefined && new URL(issuer).href === new URL(oidc.issuer).href;

/** Removes a sign-in method, or throws `conflict` if it is the calling member's last one. */
export async function removeWayToSignIn(
  tx: Tx,
  context: RequestContext,
  config: Pick<Config, "oidc">,
  member: Member,
  remove: () => Promise<unknown>,
): Promise<void> {
  const could = isOwn(context, member.id) && (await canSignIn(tx, config, member));
  await remove();
  if (!could || (await canSignIn(tx, config, member))) return;
  const advice = config.oidc?.isOnly ? "" : " Set a password first.";
  throw new GatewayError("conflict", `This is your only way to sign in.${advice}`);
}

/** Finds a member with their organization. */
export const findMember = (reader: EntityManager, where: FindOptionsWhere<Member>): Promise<Member | null> =>
  reader.findOne(Member, { where, relations: { organization: true } });

/** Returns an existing member with their organization. */
export const memberById = (reader: EntityManager, id: string): Promise<Member> =>
  reader.findOneOrFail(Member, { where: { id }, relations: { organization: true } });

/** Locks a member, so that sign-ins, passkey changes and removal take turns; null if there is no such member. */
export async function lockMember(tx: Tx, id: string, organizationId?: string): Promise<Member | null> {
  const where = organizationId === undefined ? { id } : { id, organizationId };
  await tx.update(Member, where, { createdAt: () => "created_at" });
  return findMember(tx, where);
}

/** Manages organizations' members. */
export class MemberService {
  /** Finds a member's account at an OpenID Connect issuer by the member's ID. */
  readonly identityOf: (memberId: string) => Promise<MemberIdentity | undefined>;

  constructor(
    private readonly database: Database,
    private readonly hooks: HookRegistry,
    private readonly config: Pick<Config, "oidc">,
  ) {
    this.identityOf = database.coalesceByKey("identities", async (ids) => {
      const found = await database.read((reader) =>
        reader.findBy(MemberIdentity, { memberId: In([...ids]) }),
      );
      for (const identity of found) identity.isCurrent = isCurrentIssuer(identity.issuer, config.oidc);
      return indexBy(found, ({ memberId }) => memberId);
    });
  }

  /**
   * Returns the calling member; null for other callers.
   * @throws GatewayError `invalid_session` if the session in the cookie has ended; only once, because the
   *   response clears the cookie
   */
  async viewer({ caller }: RequestContext): Promise<Member | null> {
    if (caller.kind === "anonymous" && caller.sessionEnded) throw new GatewayError("invalid_session");
    if (caller.kind !== "member") return null;
    return this.database.read((reader) => memberById(reader, caller.id));
  }

  /** Returns the members of the caller's organization, ordered by e-mail address. */
  list(context: RequestContext): Promise<Member[]> {
    const organizationId = organizationOf(context);
    return this.database.read((reader) =>
      reader.find(Member, {
        where: { organizationId },
        order: { email: "ASC" },
        relations: { organization: true },
      }),
    );
  }

  /** Finds a member of any organization for the command line, or throws `not_found`. */
  async byEmail(email: string): Promise<Member> {
    const member = await this.database.read((reader) => findMember(reader, { email: normalizeEmail(email) }));
    if (member === null) throw new GatewayError("not_found", `There is no member "${email}".`);
    return member;
  }

  /** Adds a member to the caller's organization, or throws `conflict` if the address is in use. */
  async create(
    context: RequestContext,
    { email, password, permissions }: NewMember,
    tx?: Tx,
  ): Promise<Member> {
    const organizationId = organizationOf(context);
    const passwordHash = await hashPassword(password);
    const fields = { organizationId, email: normalizeEmail(email), passwordHash, permissions };
    return this.database.writeFor(ownerOf(context.caller), (tx) => this.add(tx, context, fields), { tx });
  }

  /** Adds a member, or throws `conflict` if the address is in use. */
  async add(
    tx: Tx,
    context: RequestContext,
    fields: Pick<Member, "organizationId" | "email" | "passwordHash" | "permissions"> &
      Partial<Pick<Member, "id" | "name">>,
  ): Promise<Member> {
    const permissions = inOrder(fields.permissions);
    const member = tx.create(Member, {
      id: uuid(),
      name: null,
      ...fields,
      permissions,
      createdAt: timestamp(),
    });
    await insertUnlessTaken(tx, Member, member, EMAIL_TAKEN);
    await recordOn(tx, context, memberActions.member_created, member, { permissions: [null, permissions] });
    return member;
  }

  /** @throws GatewayError `not_found` */
  grantPermission(context: RequestContext, { memberId, permission }: GrantPermissionInput): Promise<Member> {
    return this.changePermissions(context, { memberId, grant: [permission] });
  }

  /** @throws GatewayError `not_found`, or `conflict` for the last `config:manage` in the organization */
  revokePermission(
    context: RequestContext,
    { memberId, permission }: RevokePermissionInput,
  ): Promise<Member> {
    return this.changePermissions(context, { memberId, revoke: [permission] });
  }

  /** @throws GatewayError see `revokePermission` */
  revokeAllPermissions(context: RequestContext, memberId: string): Promise<Member> {
    return this.changePermissions(context, { memberId, revoke: PERMISSIONS });
  }

  /** Grants and revokes permissions atomically; throws like `revokePermission`. */
  changePermissions(
    context: RequestContext,
    { memberId, grant, revoke }: ChangePermissionsInput,
  ): Promise<Member> {
    return this.database.writeFor(ownerOf(context.caller), async (tx) => {
      const member = await this.lockMember(tx, context, memberId);
      const wanted = [...member.permissions, ...(grant ?? [])].filter((each) => !revoke?.includes(each));
      return this.store(tx, context, member, wanted);
    });
  }

  /**
   * Removes a member with their sessions, sent invitations and connected applications.
   * @throws GatewayError `not_found`, or `conflict` for the organization's last member with `config:manage`
   */
  remove(context: RequestContext, id: string): Promise<Member> {
    return this.database.writeFor(ownerOf(context.caller), async (tx) => {
      const member = await this.lockMember(tx, context, id);
      await this.endGrants(tx, context, member);
      await tx.delete(Session, { memberId: id });
      for (const hook of this.hooks.of("memberRemoved")) await hook(tx, member, context);
      await tx.delete(MemberIdentity, { memberId: id });
      await tx.delete(Passkey, { memberId: id });
      await tx.delete(Member, { id });
      if (manages(member)) await assertManaged(tx, member.organizationId);
      await recordOn(tx, context, memberActions.member_removed, member, {
        permissions: [member.permissions, null],
      });
      return member;
    });
  }

  /**
   * Unlinks a member of the caller's organization from an account at an OpenID Connect issuer, and ends the
   * sessions opened with that account.
   * @throws GatewayError `not_found`, including for a member without such an account, or `conflict` if it is
   *   the caller's last sign-in method
   */
  unlinkIdentity(context: RequestContext, memberId: string): Promise<Member> {
    return this.database.writeFor(ownerOf(context.caller), async (tx) => {
      const member = await this.lockMember(tx, context, memberId);
      const identity = await tx.findOneBy(MemberIdentity, { memberId });
      if (identity === null) throw noSuch("linked account");
      await removeWayToSignIn(tx, context, this.config, member, () =>
        tx.delete(MemberIdentity, { memberId }),
      );
      await tx.delete(Session, { memberId, oidcSession: Not(IsNull()) });
      await recordOn(tx, context, memberActions.member_identity_unlinked, member, {
        issuer: [identity.issuer, null],
        subject: [identity.subject, null],
      });
      return member;
    });
  }

  /** Sets permissions while `MEMBER_CHANGES` is held; an organization's last manager retains `config:manage`. */
  async setPermissions(
    tx: Tx,
    context: RequestContext,
    member: Member,
    wanted: readonly Permission[],
  ): Promise<Member> {
    const losesManage = manages(member) && !wanted.includes(Permission.config_manage);
    const members = losesManage ? await tx.findBy(Member, { organizationId: member.organizationId }) : [];
    const isLast = losesManage && !members.some((each) => each.id !== member.id && manages(each));
    return this.store(tx, context, member, isLast ? [...wanted, Permission.config_manage] : wanted);
  }

  /** Revokes what a member granted as a manager: invitations and other features' grants. */
  private async endGrants(tx: Tx, context: RequestContext, member: Member): Promise<void> {
    await endInvitationsOf(tx, context, member);
    for (const hook of this.hooks.of("managerLost")) await hook(tx, member, context);
  }

  /** Locks one of the organization's members on behalf of a manager. */
  private async lockMember(tx: Tx, context: RequestContext, id: string): Promise<Member> {
    const organizationId = organizationOf(context);
    // Acquires this lock before any row lock, because two managers may remove each other concurrently.
    await tx.lockInsertOrder(MEMBER_CHANGES, [organizationId]);
    await assertSignedIn(tx, context, { permission: Permission.config_manage });
    const member = isUuid(id) ? await lockMember(tx, id, organizationId) : null;
    if (member === null) throw noSuch("member");
    return member;
  }

  private async store(
    tx: Tx,
    context: RequestContext,
    member: Member,
    wanted: readonly Permission[],
  ): Promise<Member> {
    const permissions = inOrder(wanted);
    if (permissions.join() === member.permissions.join()) return member;
    await tx.update(Member, { id: member.id }, { permissions });
    if (manages(member) && !permissions.includes(Permission.config_manage)) {
      await this.endGrants(tx, context, member);
      await assertManaged(tx, member.organizationId);
      await tx.waitForInserts();
    }
    await recordOn(tx, context, memberActions.member_permissions_changed, member, {
      permissions: [member.permissions, permissions],
    });
    return tx.merge(Member, member, { permissions });
  }
}

const manages = ({ permissions }: Member): boolean => permissions.includes(Permission.config_manage);

/** @throws GatewayError `conflict` if no member of the organization holds `config:manage` */
async function assertManaged(tx: Tx, organizationId: string): Promise<void> {
  const members = await tx.findBy(Member, { organizationId });
  if (members.some(manages)) return;
  throw new GatewayError(
    "conflict",
    "The last member with the permission config:manage cannot lose it or be removed. Grant it to another member first.",
  );
}
