import type { EntityManager } from "typeorm";
import { v7 as uuid } from "uuid";
import { memberCaller, organizationOf, type RequestContext } from "../../auth/context";
import type { Permission } from "../../auth/permissions";
import { timestamp } from "../../common/time";
import { hashPassword } from "../../credentials/password";
import type { Database } from "../../database/database";
import { insertUnlessTaken } from "../../database/insert-unless-taken";
import { GatewayError } from "../../errors";
import { recordAudit } from "../audit/audit";
import { memberActions } from "./member.audit";
import { Member } from "./member.entity";
import type { NewMember } from "./member.inputs";

/** E-mail addresses are compared without case. */
export const normalizeEmail = (email: string): string => email.trim().toLowerCase();

/** The people of organizations. */
export class MemberService {
  constructor(private readonly database: Database) {}

  /** The member that calls. */
  async viewer(context: RequestContext): Promise<Member> {
    const { id } = memberCaller(context);
    return this.database.read((reader) =>
      reader.findOneOrFail(Member, { where: { id }, relations: { organization: true } }),
    );
  }

  /** The members of the caller's organization, by e-mail address. */
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

  /** By e-mail address in whichever organization, for the command line. @throws GatewayError `not_found` */
  async byEmail(email: string): Promise<Member> {
    const member = await this.database.read((reader) =>
      reader.findOne(Member, { where: { email: normalizeEmail(email) }, relations: { organization: true } }),
    );
    if (member === null) throw new GatewayError("not_found", `There is no member "${email}".`);
    return member;
  }

  /** Adds a member to the caller's organization. @throws GatewayError `conflict` when the address is in use */
  async create(context: RequestContext, { password, ...member }: NewMember): Promise<Member> {
    const passwordHash = await hashPassword(password);
    return this.database.write((tx) => addMember(tx, context, { ...member, passwordHash }));
  }

  /** Says what a member of the caller's organization may do, from its next request on. */
  async setPermissions(context: RequestContext, email: string, permissions: Permission[]): Promise<void> {
    const organizationId = organizationOf(context);
    await this.database.write(async (tx) => {
      const member = await tx.findOneByOrFail(Member, { email: normalizeEmail(email), organizationId });
      await tx.update(Member, { id: member.id }, { permissions });
      const target = { id: member.id, name: member.email, organizationId };
      await recordAudit(tx, context, memberActions.member_permissions_changed, target, {
        permissions: [member.permissions, permissions],
      });
    });
  }
}

/** Adds a member to the caller's organization. @throws GatewayError `conflict` when the address is in use */
export async function addMember(
  tx: EntityManager,
  context: RequestContext,
  { email, passwordHash, permissions }: Pick<Member, "email" | "passwordHash" | "permissions">,
): Promise<Member> {
  const organizationId = organizationOf(context);
  const member = tx.create(Member, {
    id: uuid(),
    organizationId,
    email: normalizeEmail(email),
    passwordHash,
    permissions,
    createdAt: timestamp(),
  });
  await insertUnlessTaken(tx, Member, member, "There is already a member with this e-mail address.");
  const target = { id: member.id, name: member.email, organizationId };
  await recordAudit(tx, context, memberActions.member_created, target, { permissions: [null, permissions] });
  return member;
}
