// One class, because every way to sign in ends with `open`, and a sign-in link is a session that only `openByLink`
// accepts.

import { IsNull, MoreThan } from "typeorm";
import { v7 as uuid } from "uuid";
import { assertSignedIn } from "../../auth/assert-signed-in";
import { type MemberCaller, type Origin, ownerOf } from "../../auth/caller";
import {
  anonymousAt,
  type CredentialResolver,
  memberCaller,
  organizationOf,
  type RequestContext,
} from "../../auth/context";
import { Permission } from "../../auth/permissions";
import { HOUR_MS, timestamp } from "../../common/time";
import { isUuid } from "../../common/uuid";
import type { Config } from "../../config";
import { hashPassword, verifyPassword } from "../../credentials/password";
import { hashToken, isWellFormedSessionToken, mintSessionToken } from "../../credentials/token-format";
import type { Database } from "../../database/database";
import { rowByKey } from "../../database/rows-by-id";
import type { Tx } from "../../database/unit-of-work";
import { GatewayError, noSuch } from "../../errors";
import type { RejectedTokens } from "../../rate-limits/rejected-tokens";
import { memberActions, recordOn } from "./member.audit";
import { Member } from "./member.entity";
import { normalizeEmail, type SignedIn, type SignInInput, type SignInOptions } from "./member.inputs";
import { findMember, isOwn, lockMember } from "./member.service";
import { Passkey } from "./passkey.entity";
import type { PasswordChecks } from "./password-checks";
import { Session } from "./session.entity";
import {
  countSignInAttempt,
  recordSignIn,
  refundAttempt,
  touchSignInAttempts,
  unlockAccount,
} from "./sign-in-throttle";

/** Lifetime of a session: a working day. */
const SESSION_LIFETIME_MS = 12 * HOUR_MS;

const LINK_LIFETIME_MS = 15 * 60_000;

/** Marks a session row as a sign-in link; only the command line creates sessions without an IP address. */
const LINK = { ip: null, userAgent: "sign-in link" };

/** Max sessions in a list. */
export const MAX_LISTED_SESSIONS = 100;

/** Opens, resolves, lists and ends sessions. */
export class SessionService implements CredentialResolver<MemberCaller> {
  /** Finds sessions by token hash, with their member and organization. */
  private readonly byHash = rowByKey(this.database, "sessions", "tokenHash", (reader, hashes) =>
    reader
      .createQueryBuilder(Session, "session")
      .innerJoinAndSelect("session.member", "member")
      .innerJoinAndSelect("member.organization", "organization")
      .where("session.token_hash IN (:...hashes)", { hashes })
      .getMany(),
  );

  constructor(
    private readonly database: Database,
    private readonly rejectedTokens: RejectedTokens,
    private readonly checks: PasswordChecks,
    private readonly config: Pick<Config, "oidc">,
  ) {}

  /** Resolves a session's token, but not a sign-in link's; throws `invalid_session` or `too_many_attempts`. */
  async resolve(token: string, origin: Pick<Origin, "ip">): Promise<MemberCaller> {
    const session = await this.find(token, origin);
    if (session.ip === LINK.ip && session.userAgent === LINK.userAgent)
      throw new GatewayError("invalid_session");
    return callerOf(session.member, session);
  }

  /** Returns the session or sign-in link that a token belongs to. */
  private async find(token: string, { ip }: Pick<Origin, "ip">): Promise<Session & { member: Member }> {
    const hash = isWellFormedSessionToken(token) ? hashToken(token) : undefined;
    const session = await this.rejectedTokens.find(hash, ip, this.byHash);
    if (session?.member === undefined || session.expiresAt <= timestamp())
      throw new GatewayError("invalid_session");
    return session as Session & { member: Member };
  }

  get options(): SignInOptions {
    const { oidc } = this.config;
    return { password: oidc?.isOnly !== true, issuerName: oidc?.name ?? null };
  }

  /**
   * Opens a session.
   * @throws GatewayError `forbidden` if passwords are off, `invalid_credentials` (in the same time for an
   *   unknown address as for a wrong password), `too_many_attempts` (in the same time for any locked
   *   account), or `passkey_required` for the correct password of a member with passkeys
   */
  signIn(context: RequestContext, input: SignInInput): Promise<SignedIn> {
    assertPasswordsOn(this.config);
    const { origin } = context;
    return this.checks.run(context, async () => {
      const member = await this.verifiedMember(context, input);
      const signedIn = await this.database.write(async (tx) => {
        await lockPassword(tx, member);
        if (await tx.existsBy(Passkey, { memberId: member.id })) {
          await refundAttempt(tx, member.email, origin.ip);
          await recordOn(tx, anonymousAt(origin), memberActions.member_passkey_required, member);
          return undefined;
        }
        await recordSignIn(tx, member.email, origin.ip);
        return this.open(tx, member, origin);
      });
      if (signedIn === undefined) throw new GatewayError("passkey_required");
      return signedIn;
    });
  }

  /**
   * Verifies a member's credentials and returns the member, who must then sign in with a passkey. Counts as a
   * sign-in attempt.
   * @throws GatewayError `invalid_credentials` or `too_many_attempts`, like `signIn`
   */
  checkPassword(context: RequestContext, input: SignInInput): Promise<Member> {
    return this.checks.run(context, () => this.verifiedMember(context, input));
  }

  private async verifiedMember({ origin }: RequestContext, input: SignInInput): Promise<Member> {
    const email = normalizeEmail(input.email);
    const lock = await countSignInAttempt(this.database, email, origin.ip);
    // No valid address contains NUL, which PostgreSQL rejects in parameters.
    const found = email.includes("\0")
      ? null
      : await this.database.read((reader) => findMember(reader, { email }));
    const member = lock?.opensByPassword === false ? null : found;
    const right = await verifyPassword(member?.passwordHash, input.password);
    if (member === null || !right) {
      // Uses a transaction even for an unknown address, because the response time must not reveal whether the account
      // exists.
      await this.database.write(async (tx) => {
        await touchSignInAttempts(tx, email);
        if (member !== null)
          await recordOn(tx, anonymousAt(origin), memberActions.member_sign_in_failed, member);
      });
      throw lock?.rejection ?? new GatewayError("invalid_credentials");
    }
    return member;
  }

  /**
   * Opens a session for a member, and records the sign-in. The transaction must hold a lock on the member, or the
   * organization's `MEMBER_CHANGES` lock.
   * @param options for a sign-in with OpenID Connect; `confirmedAt` is when the issuer authenticated the member
   */
  async open(
    tx: Tx,
    member: Member,
    origin: Origin,
    { oidcSession = null, confirmedAt = null }: Partial<Pick<Session, "oidcSession" | "confirmedAt">> = {},
  ): Promise<SignedIn> {
    const token = mintSessionToken();
    const session = {
      id: uuid(),
      memberId: member.id,
      tokenHash: hashToken(token),
      createdAt: timestamp(),
      expiresAt: timestamp(SESSION_LIFETIME_MS),
      ip: origin.ip,
      userAgent: origin.userAgent,
      oidcSession,
      confirmedAt,
    };
    await tx.insert(Session, session);
    const context = { caller: callerOf(member, session), origin };
    await recordOn(tx, context, memberActions.member_signed_in, member);
    tx.afterCommit(() => this.rejectedTokens.remember(session.tokenHash));
    return { token, expiresAt: session.expiresAt, member };
  }

  /** Creates a single-use sign-in link for an operator, and returns its token; throws `not_found`. */
  createLink(context: RequestContext, member: Member): Promise<string> {
    const token = mintSessionToken();
    return this.database.writeFor(ownerOf(context.caller), async (tx) => {
      if ((await lockMember(tx, member.id)) === null) throw noSuch("member");
      await tx.insert(Session, {
        id: uuid(),
        memberId: member.id,
        tokenHash: hashToken(token),
        createdAt: timestamp(),
        expiresAt: timestamp(LINK_LIFETIME_MS),
        ...LINK,
        oidcSession: null,
      });
      await recordOn(tx, context, memberActions.member_sign_in_link_created, member);
      return token;
    });
  }

  /** Opens a session for a link's single-use token; throws `invalid_session` or `too_many_attempts`. */
  async openByLink({ origin }: RequestContext, token: string): Promise<SignedIn> {
    const { id, memberId } = await this.find(token, origin);
    return this.database.write(async (tx) => {
      const member = await lockMember(tx, memberId);
      const { affected } = await tx.delete(Session, { id, ip: IsNull(), userAgent: LINK.userAgent });
      if (member === null || affected !== 1) throw new GatewayError("invalid_session");
      return this.open(tx, member, origin);
    });
  }

  /** @throws GatewayError `too_many_attempts` if too many sign-ins are already running */
  assertPasswordCheckFree(context: RequestContext): void {
    this.checks.assertFree(context);
  }

  /** Ends the caller's session; true if it was still active. */
  async signOut(context: RequestContext): Promise<boolean> {
    const caller = memberCaller(context);
    return this.database.writeFor(ownerOf(context.caller), async (tx) => {
      const { affected } = await tx.delete(Session, { id: caller.sessionId });
      if (affected === 0) return false;
      const member = await tx.findOneByOrFail(Member, { id: caller.id });
      await recordOn(tx, context, memberActions.member_signed_out, member);
      return true;
    });
  }

  /** Ends all of the calling member's sessions, and returns their number. */
  signOutEverywhere(context: RequestContext): Promise<number> {
    const { id } = memberCaller(context);
    return this.database.writeFor(ownerOf(context.caller), async (tx) => {
      await assertSignedIn(tx, context, { whileDeactivated: true });
      const member = await tx.findOneByOrFail(Member, { id });
      await recordOn(tx, context, memberActions.member_signed_out_everywhere, member);
      return (await tx.delete(Session, { memberId: id })).affected ?? 0;
    });
  }

  /** Lists a member's most recent active sessions, newest first; see `listedMember`. */
  async list(context: RequestContext, memberId?: string | null): Promise<Session[]> {
    const id = await this.listedMember(context, memberId);
    return this.database.read((reader) =>
      reader.find(Session, {
        where: { memberId: id, expiresAt: MoreThan(timestamp()) },
        order: { id: "DESC" },
        take: MAX_LISTED_SESSIONS,
      }),
    );
  }

  /**
   * Returns the ID of the member whose sessions or passkeys are to be listed.
   * @param memberId defaults to the caller; only managers can specify another member
   * @throws GatewayError `not_found` or `forbidden`
   */
  async listedMember(context: RequestContext, memberId?: string | null): Promise<string> {
    const id = memberId ?? memberCaller(context).id;
    if (isOwn(context, id)) return id;
    const { caller } = context;
    if (caller.kind === "member" && !caller.permissions.includes(Permission.config_manage))
      throw new GatewayError(
        "forbidden",
        `This operation requires the permission ${Permission.config_manage}.`,
      );
    const organizationId = organizationOf(context);
    const isKnown =
      isUuid(id) && (await this.database.read((reader) => reader.existsBy(Member, { id, organizationId })));
    if (!isKnown) throw noSuch("member");
    return id;
  }

  /**
   * Ends one of the caller's sessions. Managers can end any member's sessions.
   * @throws GatewayError `not_found`, including for a session that the caller may not end
   */
  end(context: RequestContext, id: string): Promise<Session> {
    const organizationId = organizationOf(context);
    return this.database.writeFor(ownerOf(context.caller), async (tx) => {
      await assertSignedIn(tx, context, { whileDeactivated: true });
      const session = isUuid(id)
        ? await tx.findOne(Session, {
            where: { id, expiresAt: MoreThan(timestamp()), member: { organizationId } },
            relations: { member: true },
          })
        : null;
      const member = session?.member;
      if (!member || !(isOwn(context, member.id) || (await isManager(tx, context)))) throw noSuch("session");
      const { affected } = await tx.delete(Session, { id });
      if (affected !== 1) throw noSuch("session");
      await recordOn(tx, context, memberActions.member_session_ended, member);
      return session;
    });
  }

  /** Ends all of a member's sessions on behalf of an operator, and returns their number. */
  endAll(context: RequestContext, member: Member): Promise<number> {
    return this.database.writeFor(ownerOf(context.caller), async (tx) => {
      await lockMember(tx, member.id);
      await recordOn(tx, context, memberActions.member_signed_out_everywhere, member);
      return (await tx.delete(Session, { memberId: member.id })).affected ?? 0;
    });
  }

  /** Sets a member's password on behalf of an operator. Ends the member's sessions and unlocks their account. */
  async setPassword(context: RequestContext, member: Member, password: string): Promise<void> {
    const passwordHash = await hashPassword(password);
    await this.database.writeFor(ownerOf(context.caller), async (tx) => {
      await tx.update(Member, { id: member.id }, { passwordHash });
      await tx.delete(Session, { memberId: member.id });
      await unlockAccount(tx, member.email);
      await recordOn(tx, context, memberActions.member_password_changed, member);
    });
  }
}

/** @throws GatewayError `forbidden` if members can sign in only with OpenID Connect */
export function assertPasswordsOn({ oidc }: Pick<Config, "oidc">): void {
  if (oidc?.isOnly)
    throw new GatewayError("forbidden", `Passwords and passkeys are disabled. Sign in with ${oidc.name}.`);
}

/** Locks the member, so that a later password change ends the new session; throws `invalid_credentials`. */
async function lockPassword(tx: Tx, { id, passwordHash }: Member): Promise<void> {
  const { affected } = await tx.update(Member, { id, passwordHash }, { passwordHash });
  if (affected !== 1) throw new GatewayError("invalid_credentials");
}

/** Records that the calling member has just reauthenticated. Does not extend the session. */
export async function confirmSession(tx: Tx, context: RequestContext, member: Member): Promise<Session> {
  const id = memberCaller(context).sessionId;
  await tx.update(Session, { id }, { confirmedAt: timestamp() });
  await recordOn(tx, context, memberActions.member_sign_in_confirmed, member);
  return tx.findOneByOrFail(Session, { id });
}

/** True if the caller is not a member, or is a member who currently has `config:manage`. */
export async function isManager(tx: Tx, { caller }: RequestContext): Promise<boolean> {
  if (caller.kind !== "member") return true;
  const member = await tx.findOneBy(Member, { id: caller.id });
  return member?.permissions.includes(Permission.config_manage) === true;
}

const callerOf = (
  { id, email, permissions, organization }: Member,
  session: Pick<Session, "id" | "createdAt" | "confirmedAt">,
): MemberCaller => ({
  kind: "member",
  id,
  email,
  permissions,
  sessionId: session.id,
  signedInAt: session.confirmedAt ?? session.createdAt,
  organization,
});
