import { Not } from "typeorm";
import { assertSignedIn } from "../../auth/assert-signed-in";
import { ownerOf } from "../../auth/caller";
import { memberCaller, type RequestContext } from "../../auth/context";
import { hashPassword, verifyPassword } from "../../credentials/password";
import type { Database } from "../../database/database";
import type { Tx } from "../../database/unit-of-work";
import { GatewayError } from "../../errors";
import type { AuditAction } from "../audit/audit-actions";
import { memberActions } from "./member.audit";
import { Member } from "./member.entity";
import type { ChangeEmailInput, ChangePasswordInput } from "./member.inputs";
import { EMAIL_TAKEN, normalizeEmail, recordOn } from "./member.service";
import type { PasswordChecks } from "./password-checks";
import { Session } from "./session.entity";
import { type CountLookup, countSignInAttempt, createCountLookup, refundAttempt } from "./sign-in-throttle";

/** Changes the calling member's credentials, after confirmation with the current password. */
export class AccountService {
  private readonly countsOf: CountLookup;

  constructor(
    private readonly database: Database,
    private readonly checks: PasswordChecks,
  ) {
    this.countsOf = createCountLookup(database);
  }

  /**
   * Changes the password and ends the member's other sessions.
   * @throws GatewayError `invalid_credentials` if the current password is wrong or was changed concurrently,
   *   `invalid_session` or `too_many_attempts`
   */
  changePassword(
    context: RequestContext,
    { currentPassword, newPassword }: ChangePasswordInput,
  ): Promise<Member> {
    const failed = memberActions.member_password_change_failed;
    return this.checks.run(context, async () => {
      const member = await this.confirm(context, currentPassword, failed);
      const passwordHash = await hashPassword(newPassword);
      const { sessionId } = memberCaller(context);
      await this.database.writeFor(ownerOf(context.caller), async (tx) => {
        await changeConfirmed(tx, context, member, { passwordHash });
        await tx.delete(Session, { memberId: member.id, id: Not(sessionId) });
        await refundAttempt(tx, member.email, context.origin.ip);
        await recordOn(tx, context, memberActions.member_password_changed, member);
      });
      return this.reload(member);
    });
  }

  /**
   * Changes the e-mail address. An address in use counts as a failed attempt, so that a member cannot probe many.
   * @throws GatewayError `conflict` if the address is in use; see also `changePassword`
   */
  changeEmail(context: RequestContext, input: ChangeEmailInput): Promise<Member> {
    const failed = memberActions.member_email_change_failed;
    const email = normalizeEmail(input.email);
    return this.checks.run(context, async () => {
      const member = await this.confirm(context, input.currentPassword, failed);
      const isTaken = await this.database.writeFor(ownerOf(context.caller), async (tx) => {
        if (email !== member.email && (await tx.existsBy(Member, { email }))) {
          await recordOn(tx, context, failed, member);
          return true;
        }
        await changeConfirmed(tx, context, member, { email });
        await refundAttempt(tx, member.email, context.origin.ip);
        if (email !== member.email) {
          const changed = { ...member, email };
          await recordOn(tx, context, memberActions.member_email_changed, changed, {
            email: [member.email, email],
          });
        }
        return false;
      });
      if (isTaken) throw new GatewayError("conflict", EMAIL_TAKEN);
      return this.reload(member);
    });
  }

  private reload({ id }: Member): Promise<Member> {
    return this.database.read((reader) =>
      reader.findOneOrFail(Member, { where: { id }, relations: { organization: true } }),
    );
  }

  /**
   * Verifies the calling member's password. Counts the attempt; a successful change refunds it.
   * @param failed the audit action for a wrong password
   * @throws GatewayError `invalid_credentials`, `invalid_session` or `too_many_attempts`
   */
  async confirm(context: RequestContext, password: string, failed: AuditAction): Promise<Member> {
    const { id, email } = memberCaller(context);
    const lock = await countSignInAttempt(this.database, this.countsOf, email, context.origin.ip);
    if (lock?.opensByPassword === false) throw lock.rejection;
    const member = await this.database.read((reader) => reader.findOneBy(Member, { id }));
    // The member was removed after the request arrived.
    if (member === null) throw new GatewayError("invalid_session");
    if (await verifyPassword(member.passwordHash, password)) return member;
    await this.database.writeFor(ownerOf(context.caller), (tx) => recordOn(tx, context, failed, member));
    throw lock?.rejection ?? wrongPassword();
  }
}

/**
 * Changes a member unless the verified password was changed concurrently.
 * @throws GatewayError `invalid_credentials` or `invalid_session`
 */
async function changeConfirmed(
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
