import { Not } from "typeorm";
import { assertSignedIn } from "../../auth/assert-signed-in";
import { ownerOf } from "../../auth/caller";
import { memberCaller, type RequestContext } from "../../auth/context";
import type { Config } from "../../config";
import { hashPassword, verifyPassword } from "../../credentials/password";
import type { Database } from "../../database/database";
import type { Tx } from "../../database/unit-of-work";
import { GatewayError } from "../../errors";
import type { AuditAction } from "../audit/audit-actions";
import { memberActions, recordOn } from "./member.audit";
import { Member } from "./member.entity";
import {
  type ChangeEmailInput,
  type ChangeNameInput,
  type ChangePasswordInput,
  normalizeEmail,
} from "./member.inputs";
import { EMAIL_TAKEN, lockMember, memberById, nameFrom } from "./member.service";
import { Passkey } from "./passkey.entity";
import type { PasswordChecks } from "./password-checks";
import { Session } from "./session.entity";
import { assertPasswordsOn, confirmSession } from "./session.service";
import { type AccountLock, countSignInAttempt, refundAttempt } from "./sign-in-throttle";

/** Changes the calling member's name, e-mail address and password. */
export class AccountService {
  constructor(
    private readonly database: Database,
    private readonly checks: PasswordChecks,
    private readonly config: Pick<Config, "oidc">,
  ) {}

  /**
   * Sets or changes the calling member's password, and ends the member's other sessions.
   * @throws GatewayError `forbidden` if passwords are off, `invalid_credentials` if the current password is
   *   wrong or was changed concurrently, `invalid_session` or `too_many_attempts`
   */
  changePassword(
    context: RequestContext,
    { currentPassword, newPassword }: ChangePasswordInput,
  ): Promise<Member> {
    assertPasswordsOn(this.config);
    const failed = memberActions.member_password_change_failed;
    return this.checks.run(context, async () => {
      const member = await this.verify(context, currentPassword ?? null, failed);
      const passwordHash = await hashPassword(newPassword);
      const { sessionId } = memberCaller(context);
      await this.database.writeFor(ownerOf(context.caller), async (tx) => {
        await changeVerified(tx, context, member, { passwordHash });
        await tx.delete(Session, { memberId: member.id, id: Not(sessionId) });
        await refundAttempt(tx, member.email, context.origin.ip);
        await recordOn(tx, context, memberActions.member_password_changed, member);
      });
      return this.database.read((reader) => memberById(reader, member.id));
    });
  }

  /** @throws GatewayError `conflict` if the calling member has no passkey, or `invalid_session` */
  async removePassword(context: RequestContext): Promise<Member> {
    const { id } = memberCaller(context);
    await this.database.writeFor(ownerOf(context.caller), async (tx) => {
      await assertSignedIn(tx, context, { whileDeactivated: true });
      if (!(await tx.existsBy(Passkey, { memberId: id })))
        throw new GatewayError("conflict", "Only members with a passkey can remove their password.");
      const { affected } = await tx.update(Member, { id, passwordHash: Not("") }, { passwordHash: "" });
      if (!affected) return;
      const member = await tx.findOneByOrFail(Member, { id });
      await recordOn(tx, context, memberActions.member_password_removed, member);
    });
    return this.database.read((reader) => memberById(reader, id));
  }

  /**
   * Changes the calling member's e-mail address. Choosing an address that is in use counts as a failed
   * attempt, so that members cannot probe many addresses.
   * @throws GatewayError `conflict` if the address is in use, `invalid_session` or `too_many_attempts`
   */
  async changeEmail(context: RequestContext, input: ChangeEmailInput): Promise<Member> {
    const email = normalizeEmail(input.email);
    const { id, email: counted } = memberCaller(context);
    await this.count(context);
    const isTaken = await this.database.writeFor(ownerOf(context.caller), async (tx) => {
      await assertSignedIn(tx, context, { whileDeactivated: true });
      const member = await tx.findOneByOrFail(Member, { id });
      if (email !== member.email && (await tx.existsBy(Member, { email }))) {
        await recordOn(tx, context, memberActions.member_email_change_failed, member);
        return true;
      }
      const isEmailSelfChosen = email !== member.email || member.isEmailSelfChosen;
      await tx.update(Member, { id }, { email, isEmailSelfChosen });
      await refundAttempt(tx, counted, context.origin.ip);
      if (email !== member.email) {
        const changed = { ...member, email };
        await recordOn(tx, context, memberActions.member_email_changed, changed, {
          email: [member.email, email],
        });
      }
      return false;
    });
    if (isTaken) throw new GatewayError("conflict", EMAIL_TAKEN);
    return this.database.read((reader) => memberById(reader, id));
  }

  /** Changes or removes the calling member's name, or throws `invalid_session`. */
  async changeName(context: RequestContext, input: ChangeNameInput): Promise<Member> {
    const { id } = memberCaller(context);
    const name = nameFrom(input);
    await this.database.writeFor(ownerOf(context.caller), async (tx) => {
      await assertSignedIn(tx, context, { whileDeactivated: true });
      const member = await lockMember(tx, id);
      if (member === null || member.name === name) return;
      await tx.update(Member, { id }, { name });
      await recordOn(tx, context, memberActions.member_name_changed, member, { name: [member.name, name] });
    });
    return this.database.read((reader) => memberById(reader, id));
  }

  /** Reauthenticates by password. Throws like `changePassword`, and `passkey_required` for a member with passkeys. */
  async confirmSignIn(context: RequestContext, password: string): Promise<Session> {
    assertPasswordsOn(this.config);
    const failed = memberActions.member_sign_in_confirmation_failed;
    const session = await this.checks.run(context, async () => {
      const member = await this.verify(context, password, failed);
      return this.database.writeFor(ownerOf(context.caller), async (tx) => {
        await changeVerified(tx, context, member, { passwordHash: member.passwordHash });
        await refundAttempt(tx, member.email, context.origin.ip);
        if (!(await tx.existsBy(Passkey, { memberId: member.id })))
          return confirmSession(tx, context, member);
        await recordOn(tx, context, memberActions.member_passkey_required, member);
        return undefined;
      });
    });
    if (session === undefined) throw new GatewayError("passkey_required");
    return session;
  }

  /**
   * Verifies the calling member's password (null for none). Counts an attempt, which the caller refunds on success.
   * @throws GatewayError `invalid_credentials`, `invalid_session` or `too_many_attempts`
   */
  private async verify(
    context: RequestContext,
    password: string | null,
    failed: AuditAction,
  ): Promise<Member> {
    const lock = await this.count(context);
    const { id } = memberCaller(context);
    const member = await this.database.read((reader) => reader.findOneBy(Member, { id }));
    // The member was removed after the request arrived.
    if (member === null) throw new GatewayError("invalid_session");
    const isRight =
      password === null ? !member.hasPassword : await verifyPassword(member.passwordHash, password);
    if (isRight) return member;
    await this.database.writeFor(ownerOf(context.caller), (tx) => recordOn(tx, context, failed, member));
    throw lock?.rejection ?? wrongPassword();
  }

  /** @throws GatewayError `too_many_attempts` */
  private async count(context: RequestContext): Promise<AccountLock | undefined> {
    const { email } = memberCaller(context);
    const lock = await countSignInAttempt(this.database, email, context.origin.ip);
    if (lock?.opensByPassword === false) throw lock.rejection;
    return lock;
  }
}

/** Changes a member; throws `invalid_credentials` if the verified password has changed, or `invalid_session`. */
async function changeVerified(
  tx: Tx,
  context: RequestContext,
  { id, passwordHash }: Member,
  change: Partial<Member>,
): Promise<void> {
  await assertSignedIn(tx, context, { whileDeactivated: true });
  const { affected } = await tx.update(Member, { id, passwordHash }, change);
  if (affected !== 1) throw wrongPassword();
}

const wrongPassword = () => new GatewayError("invalid_credentials", "The current password is wrong.");
