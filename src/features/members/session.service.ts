import { type EntityManager, Not } from "typeorm";
import { v7 as uuid } from "uuid";
import { assertSignedIn } from "../../auth/assert-signed-in";
import type { MemberCaller, Origin } from "../../auth/caller";
import { type CredentialResolver, memberCaller, type RequestContext } from "../../auth/context";
import { indexBy } from "../../common/coalesce";
import { HOUR_MS, timestamp } from "../../common/time";
import { hashPassword, verifyPassword } from "../../credentials/password";
import { hashToken, isWellFormedSessionToken, mintSessionToken } from "../../credentials/token-format";
import type { Database } from "../../database/database";
import { GatewayError } from "../../errors";
import type { RefusedTokens } from "../../rate-limits/refused-tokens";
import { recordAudit } from "../audit/audit";
import type { AuditAction } from "../audit/audit-actions";
import { memberActions } from "./member.audit";
import { Member } from "./member.entity";
import type { ChangePasswordInput, SignedIn, SignInInput } from "./member.inputs";
import { normalizeEmail } from "./member.service";
import { Session } from "./session.entity";
import {
  type CountLookup,
  countSignInAttempt,
  createCountLookup,
  recordSignIn,
  refundAttempt,
  touchSignInAttempts,
  unlockAccount,
} from "./sign-in-throttle";

/** A working day. */
const SESSION_LIFETIME_MS = 12 * HOUR_MS;

/** Max concurrent sign-ins and password changes: about half a second of hashing. */
const MAX_PASSWORD_CHECKS = 16;

/** Opens, resolves and ends sessions, and changes passwords. */
export class SessionService implements CredentialResolver<MemberCaller> {
  private passwordChecks = 0;

  /** Sessions with their member and organization, by token hash. */
  private readonly byHash: (hash: string) => Promise<Session | undefined>;

  private readonly countsOf: CountLookup;

  constructor(
    private readonly database: Database,
    private readonly refused: RefusedTokens,
  ) {
    this.countsOf = createCountLookup(database);
    this.byHash = database.coalesceByKey("sessions", async (hashes) =>
      indexBy(
        await database.read((reader) =>
          reader
            .createQueryBuilder(Session, "session")
            .innerJoinAndSelect("session.member", "member")
            .innerJoinAndSelect("member.organization", "organization")
            .where("session.token_hash IN (:...hashes)", { hashes })
            .getMany(),
        ),
        ({ tokenHash }) => tokenHash,
      ),
    );
  }

  /**
   * The member of a session token, read from the database and never from a cache.
   * @throws GatewayError `invalid_session` or `too_many_attempts`
   */
  async resolve(token: string, { ip }: Pick<Origin, "ip">): Promise<MemberCaller> {
    const hash = isWellFormedSessionToken(token) ? hashToken(token) : undefined;
    const session = await this.refused.find(hash, ip, this.byHash);
    if (session?.member === undefined || session.expiresAt <= timestamp())
      throw new GatewayError("invalid_session");
    return callerOf(session.member, session.id);
  }

  /**
   * Opens a session.
   * @throws GatewayError `invalid_credentials`, after the same time for an unknown address as for a wrong password, or
   *   `too_many_attempts`, after the same time for any locked account
   */
  signIn(context: RequestContext, input: SignInInput): Promise<SignedIn> {
    return this.checkingPassword(context, () => this.openSession(context, input));
  }

  private async openSession({ origin }: RequestContext, input: SignInInput): Promise<SignedIn> {
    const email = normalizeEmail(input.email);
    const lock = await countSignInAttempt(this.database, this.countsOf, email, origin.ip);
    const found = await this.memberOf(email);
    const member = lock?.opensByPassword === false ? null : found;
    const right = await verifyPassword(member?.passwordHash, input.password);
    if (member === null || !right) {
      await this.recordFailure(email, member, origin);
      throw lock?.refusal ?? new GatewayError("invalid_credentials");
    }
    const token = mintSessionToken();
    const session = {
      id: uuid(),
      memberId: member.id,
      tokenHash: hashToken(token),
      createdAt: timestamp(),
      expiresAt: timestamp(SESSION_LIFETIME_MS),
    };
    await this.database.write(async (tx) => {
      await lockPassword(tx, member);
      await recordSignIn(tx, email, origin.ip);
      await tx.insert(Session, session);
      await record(
        tx,
        { caller: callerOf(member, session.id), origin },
        memberActions.member_signed_in,
        member,
      );
    });
    this.refused.remember(session.tokenHash);
    return { token, expiresAt: session.expiresAt, member };
  }

  /** @throws GatewayError `too_many_attempts` if `MAX_PASSWORD_CHECKS` are already running */
  assertPasswordCheckFree(): void {
    if (this.passwordChecks < MAX_PASSWORD_CHECKS) return;
    throw new GatewayError(
      "too_many_attempts",
      "Too many sign-ins are in progress. Try again in a few seconds.",
      { headers: { "retry-after": "2" } },
    );
  }

  /**
   * Runs work that hashes passwords. Hashing is sequential, so the wait does not count toward load shedding.
   * @throws GatewayError `too_many_attempts` if `MAX_PASSWORD_CHECKS` are already running
   */
  private async checkingPassword<T>(context: RequestContext, check: () => Promise<T>): Promise<T> {
    this.assertPasswordCheckFree();
    this.passwordChecks += 1;
    try {
      return await (context.outsideLoad?.(check) ?? check());
    } finally {
      this.passwordChecks -= 1;
    }
  }

  /**
   * Ends the caller's session.
   * @returns whether it was still open
   */
  async signOut(context: RequestContext): Promise<boolean> {
    const caller = memberCaller(context);
    return this.database.write(async (tx) => {
      const { affected } = await tx.delete(Session, { id: caller.sessionId });
      if (affected === 0) return false;
      const member = await tx.findOneByOrFail(Member, { id: caller.id });
      await record(tx, context, memberActions.member_signed_out, member);
      return true;
    });
  }

  /**
   * Ends all sessions of the calling member.
   * @returns their number
   */
  signOutEverywhere(context: RequestContext): Promise<number> {
    const { id } = memberCaller(context);
    return this.database.write(async (tx) => {
      await assertSignedIn(tx, context, { whileDeactivated: true });
      const member = await tx.findOneByOrFail(Member, { id });
      await record(tx, context, memberActions.member_signed_out_everywhere, member);
      return (await tx.delete(Session, { memberId: id })).affected ?? 0;
    });
  }

  /**
   * Changes the password of the calling member and ends the member's other sessions.
   * @throws GatewayError `invalid_credentials` if the current password is wrong or was changed concurrently,
   *   `invalid_session` or `too_many_attempts`
   */
  changePassword(context: RequestContext, input: ChangePasswordInput): Promise<boolean> {
    return this.checkingPassword(context, () => this.replacePassword(context, input));
  }

  private async replacePassword(context: RequestContext, input: ChangePasswordInput): Promise<boolean> {
    const caller = memberCaller(context);
    const lock = await countSignInAttempt(this.database, this.countsOf, caller.email, context.origin.ip);
    if (lock?.opensByPassword === false) throw lock.refusal;
    const member = await this.database.read((reader) => reader.findOneByOrFail(Member, { id: caller.id }));
    if (!(await verifyPassword(member.passwordHash, input.currentPassword))) {
      await this.database.write((tx) =>
        record(tx, context, memberActions.member_password_change_failed, member),
      );
      throw lock?.refusal ?? wrongPassword();
    }
    const passwordHash = await hashPassword(input.newPassword);
    await this.database.write(async (tx) => {
      await assertSignedIn(tx, context, { whileDeactivated: true });
      const verified = { id: member.id, passwordHash: member.passwordHash };
      const { affected } = await tx.update(Member, verified, { passwordHash });
      // A concurrent change won.
      if (affected !== 1) throw wrongPassword();
      await tx.delete(Session, { memberId: member.id, id: Not(caller.sessionId) });
      await refundAttempt(tx, member.email, context.origin.ip);
      await record(tx, context, memberActions.member_password_changed, member);
    });
    return true;
  }

  /** Sets a member's password on behalf of an operator, ends the member's sessions and unlocks the account. */
  async setPassword(context: RequestContext, member: Member, password: string): Promise<void> {
    const passwordHash = await hashPassword(password);
    await this.database.write(async (tx) => {
      await tx.update(Member, { id: member.id }, { passwordHash });
      await tx.delete(Session, { memberId: member.id });
      await unlockAccount(tx, member.email);
      await record(tx, context, memberActions.member_password_changed, member);
    });
  }

  private async memberOf(email: string): Promise<Member | null> {
    // No address contains a NUL, and PostgreSQL rejects it.
    if (email.includes("\0")) return null;
    return this.database.read((reader) =>
      reader.findOne(Member, { where: { email }, relations: { organization: true } }),
    );
  }

  /** Writes a transaction for an unknown address too, because the response time must not reveal whether it exists. */
  private recordFailure(
    email: string,
    member: Member | null,
    origin: RequestContext["origin"],
  ): Promise<void> {
    const context: RequestContext = { caller: { kind: "anonymous" }, origin };
    return this.database.write(async (tx) => {
      await touchSignInAttempts(tx, email);
      if (member !== null) await record(tx, context, memberActions.member_sign_in_failed, member);
    });
  }
}

/**
 * Locks the password that was verified, so that a concurrent change waits and then ends the new session too.
 * @throws GatewayError `invalid_credentials` if the password was already changed
 */
async function lockPassword(tx: EntityManager, { id, passwordHash }: Member): Promise<void> {
  const { affected } = await tx.update(Member, { id, passwordHash }, { passwordHash });
  if (affected !== 1) throw new GatewayError("invalid_credentials");
}

const wrongPassword = () => new GatewayError("invalid_credentials", "The current password is wrong.");

const record = (tx: EntityManager, context: RequestContext, action: AuditAction, member: Member) =>
  recordAudit(tx, context, action, { ...member, name: member.email });

const callerOf = ({ id, email, permissions, organization }: Member, sessionId: string): MemberCaller => ({
  kind: "member",
  id,
  email,
  permissions,
  sessionId,
  organization,
});
