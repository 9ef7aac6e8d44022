import type { EntityManager } from "typeorm";
import { v7 as uuid } from "uuid";
import { assertSignedIn } from "../../auth/assert-signed-in";
import { memberCaller, organizationOf, type RequestContext } from "../../auth/context";
import { PERMISSIONS, Permission } from "../../auth/permissions";
import { timestamp } from "../../common/time";
import { isUuid } from "../../common/uuid";
import { hashPassword } from "../../credentials/password";
import type { Database } from "../../database/database";
import { insertUnlessTaken } from "../../database/insert-unless-taken";
import { GatewayError, noSuch } from "../../errors";
import { recordAudit } from "../audit/audit";
import { memberActions } from "./member.audit";
import { Member, PERMISSION_CHANGES } from "./member.entity";
import type { NewMember, PermissionArgs } from "./member.inputs";

/** E-mail addresses are case-insensitive. */
export const normalizeEmail = (email: string): string => email.trim().toLowerCase();

/** The members of organizations. */
export class MemberService {
  constructor(private readonly database: Database) {}

  /** The calling member. */
  async viewer(context: RequestContext): Promise<Member> {
    const { id } = memberCaller(context);
    return this.database.read((reader) =>
      reader.findOneOrFail(Member, { where: { id }, relations: { organization: true } }),
    );
  }

  /** The members of the caller's organization, ordered by e-mail address. */
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

  /**
   * A member of any organization by e-mail address, for the command line.
   * @throws GatewayError `not_found`
   */
  async byEmail(email: string): Promise<Member> {
    const member = await this.database.read((reader) =>
      reader.findOne(Member, { where: { email: normalizeEmail(email) }, relations: { organization: true } }),
    );
    if (member === null) throw new GatewayError("not_found", `There is no member "${email}".`);
    return member;
  }

  /**
   * Adds a member to the caller's organization.
   * @param tx the transaction to join, if any
   * @throws GatewayError `conflict` if the address is in use
   */
  async create(
    context: RequestContext,
    { email, password, permissions }: NewMember,
    tx?: EntityManager,
  ): Promise<Member> {
    const organizationId = organizationOf(context);
    const passwordHash = await hashPassword(password);
    const unit = async (tx: EntityManager) => {
      const member = tx.create(Member, {
        id: uuid(),
        organizationId,
        email: normalizeEmail(email),
        passwordHash,
        permissions: PERMISSIONS.filter((permission) => permissions.includes(permission)),
        createdAt: timestamp(),
      });
      await insertUnlessTaken(tx, Member, member, "There is already a member with this e-mail address.");
      const target = { id: member.id, name: member.email, organizationId };
      await recordAudit(tx, context, memberActions.member_created, target, {
        permissions: [null, permissions],
      });
      return member;
    };
    return this.database.write(unit, { tx });
  }

  /**
   * Grants a permission to a member of the caller's organization.
   * @throws GatewayError `not_found`
   */
  grantPermission(context: RequestContext, { memberId, permission }: PermissionArgs): Promise<Member> {
    return this.changePermissions(context, memberId, (held) => [...held, permission]);
  }

  /**
   * Revokes a permission of a member of the caller's organization, from the member's next request on.
   * @throws GatewayError `not_found`, or `conflict` for the last `config:manage` of the organization
   */
  revokePermission(context: RequestContext, { memberId, permission }: PermissionArgs): Promise<Member> {
    return this.changePermissions(context, memberId, (held) => held.filter((each) => each !== permission));
  }

  /**
   * Revokes all permissions of a member.
   * @throws GatewayError see `revokePermission`
   */
  revokeAllPermissions(context: RequestContext, memberId: string): Promise<Member> {
    return this.changePermissions(context, memberId, () => []);
  }

  private changePermissions(
    context: RequestContext,
    memberId: string,
    change: (held: readonly Permission[]) => readonly Permission[],
  ): Promise<Member> {
    const organizationId = organizationOf(context);
    return this.database.write(async (tx) => {
      // Before any row lock, because two managers may revoke each other's permission.
      await this.database.lockInsertOrder(tx, PERMISSION_CHANGES);
      await assertSignedIn(tx, context, { permission: Permission.config_manage });
      const member = isUuid(memberId)
        ? await tx.findOne(Member, {
            where: { id: memberId, organizationId },
            relations: { organization: true },
          })
        : null;
      if (member === null) throw noSuch("member");
      const changed = change(member.permissions);
      const permissions = PERMISSIONS.filter((permission) => changed.includes(permission));
      if (permissions.join() === member.permissions.join()) return member;
      await tx.update(Member, { id: member.id }, { permissions });
      if (member.permissions.includes(Permission.config_manage)) await assertManaged(tx, organizationId);
      const target = { id: member.id, name: member.email, organizationId };
      await recordAudit(tx, context, memberActions.member_permissions_changed, target, {
        permissions: [member.permissions, permissions],
      });
      return tx.merge(Member, member, { permissions });
    });
  }
}

/** @throws GatewayError `conflict` if no member of the organization holds `config:manage` */
async function assertManaged(tx: EntityManager, organizationId: string): Promise<void> {
  const members = await tx.findBy(Member, { organizationId });
  if (members.some(({ permissions }) => permissions.includes(Permission.config_manage))) return;
  throw new GatewayError(
    "conflict",
    "The last member with the permission config:manage cannot lose it. Grant it to another member first.",
  );
}
