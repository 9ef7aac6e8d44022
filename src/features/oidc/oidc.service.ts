// One class, because a sign-in can link an account, join an organization and change permissions in a single
// transaction.

import { In, Not } from "typeorm";
import { isRecent } from "../../auth/authorize";
import { type RequestContext, systemFor } from "../../auth/context";
import { PERMISSIONS, type Permission } from "../../auth/permissions";
import { baseUrlOf } from "../../base-url";
import { type Timestamp, timestamp, timestampOf } from "../../common/time";
import type { Config } from "../../config";
import { sha256 } from "../../credentials/sha256";
import { returning } from "../../database/returning";
import type { Tx } from "../../database/unit-of-work";
import { StartupError } from "../../errors";
import type { Core } from "../../schema/feature";
import type { InvitationService } from "../members/invitation.service";
import { memberActions, recordOn } from "../members/member.audit";
import { MEMBER_CHANGES, Member } from "../members/member.entity";
import { normalizeEmail, type SignedIn } from "../members/member.inputs";
import { findMember, type MemberService, memberById } from "../members/member.service";
import { MemberIdentity, SUBJECT_MAX_LENGTH } from "../members/member-identity.entity";
import { Session } from "../members/session.entity";
import type { SessionService } from "../members/session.service";
import { countAddressAttempt, recordSignIn } from "../members/sign-in-throttle";
import { useOnce } from "../members/single-use.entity";
import { type Attempt, Attempts } from "./attempts";
import { type Claims, Issuer } from "./issuer";
import { SignInProblem } from "./sign-in-problem";

export const CALLBACK_PATH = "/auth/oidc/callback";

/** Retention of a logout token's ID (ms): longer than any logout token is accepted. */
const LOGOUT_KEPT_MS = 15 * 60_000;

interface Dependencies extends Pick<Core, "database" | "config"> {
  members: MemberService;
  sessions: SessionService;
  invitations: InvitationService;
}

interface Person {
  issuer: string;
  subject: string;
  /** The e-mail address in lowercase, if the issuer has verified it. */
  email: string | undefined;
  /** Permissions from the issuer; undefined if the issuer does not determine permissions. */
  permissions: readonly Permission[] | undefined;
  oidcSession: string;
  /** The time when the issuer authenticated the person, possibly before this sign-in; null if it is unknown. */
  confirmedAt: Timestamp | null;
}

/** Signs in members with an account at the OpenID Connect issuer, and signs them out when the issuer requests it. */
export class OidcService {
  readonly attempts: Attempts;
  readonly issuer: Issuer;
  private readonly permissionOf: ReadonlyMap<string, readonly Permission[]>;

  /** @throws StartupError for unknown permissions */
  constructor(
    private readonly services: Dependencies,
    private readonly settings: NonNullable<Config["oidc"]>,
  ) {
    const baseUrl = baseUrlOf(services.config);
    this.issuer = new Issuer(settings, `${baseUrl}${CALLBACK_PATH}`);
    this.attempts = new Attempts(settings, baseUrl);
    this.permissionOf = permissionsByGroup(settings.permissions);
  }

  /**
   * Opens a session for the person in the issuer's response. The first sign-in links the account to the
   * member or invitation with its verified e-mail address; for later sign-ins, only the account identifies
   * the member. A sign-in started from an invitation accepts no other invitation.
   * @param query the query of the callback
   * @throws SignInProblem, or GatewayError `too_many_attempts`, `conflict` or `organization_deactivated`
   */
  async signIn({ origin }: RequestContext, query: string, attempt: Attempt): Promise<SignedIn> {
    const { database } = this.services;
    await countAddressAttempt(database, origin.ip);
    const person = this.personOf(await this.issuer.claimsOf(query, attempt));
    if (attempt.again !== undefined && person.confirmedAt !== null && !isRecent(person.confirmedAt))
      throw new SignInProblem("stale");
    const organizationId = await this.organizationOf(person, attempt);
    if (organizationId === undefined) throw new SignInProblem("unknown");
    return database.write(async (tx) => {
      await tx.lockInsertOrder(MEMBER_CHANGES, [organizationId]);
      if (!(await useOnce(tx, `oidc sign-in ${attempt.state}`, attempt.expiresAt)))
        throw new SignInProblem("expired");
      const { issuer, subject } = person;
      const identity = await tx.findOneBy(MemberIdentity, { issuer, subject });
      const member = identity
        ? await memberById(tx, identity.memberId)
        : await this.link(tx, origin, person, attempt);
      // The account may belong to a different organization than the invitation, or may have moved to an organization
      // whose lock this transaction does not hold.
      if (member.organizationId !== organizationId)
        throw new SignInProblem(attempt.invitation === undefined ? "unknown" : "taken");
      const current = await this.withPermissions(tx, origin, member, person);
      await recordSignIn(tx, member.email, origin.ip);
      return this.services.sessions.open(tx, current, origin, person);
    });
  }

  /** Ends the sessions of a single-use logout token; throws a SignInProblem `rejected` or `unavailable`. */
  async signOut({ origin }: RequestContext, token: string): Promise<void> {
    const { issuer, jti, subject, session } = await this.issuer.logoutOf(token);
    await this.services.database.write(async (tx) => {
      if (!(await useOnce(tx, `oidc logout ${issuer} ${jti}`, timestamp(LOGOUT_KEPT_MS))))
        throw new SignInProblem("rejected");
      const hash = session === undefined ? undefined : sha256(session);
      const named = subject === undefined ? await tx.findBy(Session, { oidcSession: hash ?? "" }) : [];
      const owner =
        subject === undefined ? { memberId: In(named.map(({ memberId }) => memberId)) } : { subject };
      const identities = await tx.findBy(MemberIdentity, { issuer, ...owner });
      for (const { memberId } of identities) {
        // Includes sessions whose ID token had no session ID, because they may belong to the session that
        // ended at the issuer.
        const oidcSession = hash === undefined ? Not("-") : In(subject === undefined ? [hash] : [hash, ""]);
        const { affected } = await tx.delete(Session, { memberId, oidcSession });
        if (!affected) continue;
        const member = await memberById(tx, memberId);
        const context = { ...systemFor(member.organization), origin };
        await recordOn(tx, context, memberActions.member_signed_out_by_issuer, member);
      }
    });
  }

  private personOf(claims: Claims): Person {
    const { iss: issuer, sub: subject, sid, auth_time: seconds } = claims;
    if (subject.length === 0 || subject.length > SUBJECT_MAX_LENGTH || subject.includes("\0"))
      throw new SignInProblem("rejected");
    const { permissionsClaim } = this.settings;
    return {
      issuer,
      subject,
      email: verifiedEmailIn(claims),
      permissions: permissionsClaim === undefined ? undefined : this.permissionsIn(claims[permissionsClaim]),
      oidcSession: typeof sid === "string" && sid !== "" ? sha256(sid) : "",
      confirmedAt:
        typeof seconds === "number" && seconds > 0 ? timestampOf(Math.min(seconds * 1000, Date.now())) : null,
    };
  }

  /** Returns the permissions that a person's groups grant; none for a person without groups. */
  private permissionsIn(groups: unknown): Permission[] {
    const names = Array.isArray(groups) ? groups : [groups];
    return names.flatMap((name) => (typeof name === "string" ? (this.permissionOf.get(name) ?? []) : []));
  }

  /**
   * Returns the organization of the attempt's invitation if the invitation is pending, otherwise the person's own
   * organization. For an attempt without an invitation, falls back to any pending invitation to the person.
   */
  private organizationOf(
    { issuer, subject, email }: Person,
    { invitation }: Attempt,
  ): Promise<string | undefined> {
    const { invitations } = this.services;
    return this.services.database.read(async (reader) => {
      const named = invitation && (await invitations.pendingFor(reader, email ?? "", invitation));
      if (named) return named.organizationId;
      const identity = await reader.findOne(MemberIdentity, {
        where: { issuer, subject },
        relations: { member: true },
      });
      if (identity?.member) return identity.member.organizationId;
      if (email === undefined) return undefined;
      const member = await reader.findOneBy(Member, { email, isEmailSelfChosen: false });
      if (member !== null) return member.organizationId;
      if (invitation !== undefined) return undefined;
      return (await invitations.pendingFor(reader, email))?.organizationId;
    });
  }

  /**
   * Links a person's account to the member with the account's verified e-mail address, unless the member set
   * that address without verification and may not own it. An invited person becomes a member.
   * @throws SignInProblem `unknown`, including for a member who is linked to another account
   */
  private async link(
    tx: Tx,
    origin: RequestContext["origin"],
    { issuer, subject, email }: Person,
    attempt: Attempt,
  ): Promise<Member> {
    if (email === undefined) throw new SignInProblem("unknown");
    let member = await findMember(tx, { email, isEmailSelfChosen: false });
    if (member === null) {
      const { invitations } = this.services;
      const invitation = await invitations.pendingFor(tx, email, attempt.invitation);
      if (invitation === null) throw new SignInProblem("unknown");
      member = await invitations.join(tx, origin, invitation, { passwordHash: "", name: null });
    }
    const row = await returning<{ subject: string } | undefined>(
      tx,
      `insert into member_identity (member_id, issuer, subject, bound_at) values ($1, $2, $3, $4)
       on conflict do nothing returning subject`,
      [member.id, issuer, subject, timestamp()],
    );
    if (row === undefined) throw new SignInProblem("unknown");
    const context = { ...systemFor(member.organization), origin };
    await recordOn(tx, context, memberActions.member_identity_linked, member, {
      issuer: [null, issuer],
      subject: [null, subject],
    });
    return member;
  }

  private async withPermissions(
    tx: Tx,
    origin: RequestContext["origin"],
    member: Member,
    { permissions }: Person,
  ): Promise<Member> {
    if (permissions === undefined) return member;
    const context = { ...systemFor(member.organization), origin };
    return this.services.members.setPermissions(tx, context, member, permissions);
  }
}

/**
 * Returns the verified e-mail address from claims, in lowercase. Converts only ASCII letters, because Unicode
 * maps some other letters to lowercase ASCII letters, so that a different address could match.
 */
function verifiedEmailIn({ email, email_verified: verified, xms_edov: byOwner }: Claims): string | undefined {
  // Microsoft sends only `xms_edov`, which is true if the e-mail domain's owner has been verified.
  const isVerified =
    verified === true || (verified === undefined && [true, 1, "1", "true"].includes(byOwner as never));
  if (!isVerified || typeof email !== "string" || email.includes("\0")) return undefined;
  const lower = email.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
  return normalizeEmail(lower) === lower ? lower : undefined;
}

function permissionsByGroup(
  pairs: readonly { group: string; permission: string }[],
): ReadonlyMap<string, Permission[]> {
  const byGroup = new Map<string, Permission[]>();
  for (const { group, permission } of pairs) {
    const known = PERMISSIONS.find((each) => each === permission);
    if (known === undefined)
      throw new StartupError(
        `OIDC_PERMISSIONS must contain only these permissions: ${PERMISSIONS.join(", ")}`,
      );
    byGroup.set(group, [...(byGroup.get(group) ?? []), known]);
  }
  return byGroup;
}
