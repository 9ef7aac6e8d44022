// One class, because inviting, withdrawing and accepting take the same lock and must agree on which invitations are
// pending.

import { type EntityManager, LessThanOrEqual, MoreThan } from "typeorm";
import { v7 as uuid } from "uuid";
import { assertSignedIn } from "../../auth/assert-signed-in";
import { ownerOf } from "../../auth/caller";
import { organizationOf, type RequestContext } from "../../auth/context";
import { Permission } from "../../auth/permissions";
import { baseUrlOf } from "../../base-url";
import { lruCache } from "../../common/lru-cache";
import { timestamp } from "../../common/time";
import { isUuid } from "../../common/uuid";
import { hashPassword } from "../../credentials/password";
import { hashToken, isWellFormedInvitationToken, mintInvitationToken } from "../../credentials/token-format";
import type { Tx } from "../../database/unit-of-work";
import { GatewayError, noSuch } from "../../errors";
import { once } from "../../idempotency/idempotency";
import { retryAfterError } from "../../rate-limits/retry-after";
import { countIn, type Window } from "../../rate-limits/window";
import type { Core } from "../../schema/feature";
import { actorOf } from "../audit/audit";
import { Organization } from "../organizations/organization.entity";
import { endInvitation } from "./end-invitations";
import { Invitation } from "./invitation.entity";
import {
  type AcceptInvitationInput,
  InvitationMail,
  type InviteMemberInput,
  type NewInvitation,
} from "./invitation.inputs";
import { INVITATION_LIFETIME_MS, invitationMail } from "./invitation-mail";
import { memberActions, recordOn } from "./member.audit";
import { MEMBER_CHANGES, Member } from "./member.entity";
import { normalizeEmail, type SignedIn } from "./member.inputs";
import { canSignIn, EMAIL_TAKEN, inOrder, lockMember, type MemberService, nameFrom } from "./member.service";
import type { PasswordChecks } from "./password-checks";
import { Session } from "./session.entity";
import { assertPasswordsOn, type SessionService } from "./session.service";
import { countAddressAttempt, recordSignIn } from "./sign-in-throttle";

/** Max pending invitations per organization. */
export const MAX_INVITATIONS = 100;

/** Max invitations per organization per minute, in each process; each one may send an e-mail to a stranger. */
const MAX_PER_MINUTE = 20;

const MAX_ORGANIZATIONS = 10_000;

interface Dependencies extends Pick<Core, "database" | "config" | "sendMail" | "log" | "rejectedTokens"> {
  members: MemberService;
  sessions: SessionService;
  checks: PasswordChecks;
}

/** Invites people to an organization with single-use links. */
export class InvitationService {
  private readonly windows = lruCache<string, Window>(MAX_ORGANIZATIONS);
  private readonly page: string;

  constructor(private readonly services: Dependencies) {
    this.page = `${baseUrlOf(services.config)}/dashboard/invitation`;
  }

  /** Returns the pending invitations to the caller's organization, ordered by e-mail address. */
  list(context: RequestContext): Promise<Invitation[]> {
    const organizationId = organizationOf(context);
    return this.services.database.read((reader) =>
      reader.find(Invitation, {
        where: { organizationId, expiresAt: MoreThan(timestamp()) },
        order: { email: "ASC" },
        relations: { organization: true },
      }),
    );
  }

  /**
   * Invites a person to the caller's organization, and sends the link by e-mail if a mail server is configured.
   * Replaces a pending invitation to the same address. The result does not reveal whether the address belongs to a
   * member of another organization.
   * @returns the invitation with its link, which is omitted for a retry with the same idempotency key
   * @throws GatewayError `conflict` if the address belongs to a member of the organization, `limit_reached`,
   *   `too_many_attempts`, `idempotency_key_reused`, or `not_found` for a retry after the invitation has ended
   */
  async invite(
    context: RequestContext,
    input: Omit<InviteMemberInput, "idempotencyKey"> & Partial<InviteMemberInput>,
  ): Promise<NewInvitation> {
    const organizationId = organizationOf(context);
    if (context.caller.kind === "member") this.assertNotTooOften(organizationId);
    const email = normalizeEmail(input.email);
    const permissions = inOrder(input.permissions);
    const token = mintInvitationToken();
    const { invitation, isNew } = await this.services.database.writeFor(
      ownerOf(context.caller),
      async (tx) => {
        await tx.lockInsertOrder(MEMBER_CHANGES, [organizationId]);
        await assertSignedIn(tx, context, { permission: Permission.config_manage });
        return once(tx, {
          scope: `inviteMember:${actorOf(context.caller).actorId ?? organizationId}`,
          answer: context.answer,
          key: input.idempotencyKey,
          request: { email, permissions },
          create: async () => ({
            invitation: await this.insert(tx, context, { email, permissions, tokenHash: hashToken(token) }),
            isNew: true,
          }),
          repeat: async (id) => ({
            invitation: await pendingInvitation(tx, organizationId, id),
            isNew: false,
          }),
          idOf: ({ invitation }) => invitation.id,
        });
      },
    );
    if (!isNew) return { invitation, link: null, mail: null };
    // The token is in the fragment, which browsers never send to servers, so it does not appear in logs.
    const link = `${this.page}#${token}`;
    const send = () => this.mail(invitation, link);
    return { invitation, link, mail: await (context.outsideLoad?.(send) ?? send()) };
  }

  private async insert(
    tx: Tx,
    context: RequestContext,
    fields: Pick<Invitation, "email" | "permissions" | "tokenHash">,
  ): Promise<Invitation> {
    const organizationId = organizationOf(context);
    const { email, permissions } = fields;
    const member = await tx.findOneBy(Member, { email, organizationId });
    if (member !== null && (await canSignIn(tx, this.services.config, member)))
      throw new GatewayError("conflict", EMAIL_TAKEN);
    await tx.delete(Invitation, { organizationId, expiresAt: LessThanOrEqual(timestamp()) });
    const earlier = await tx.findOneBy(Invitation, { organizationId, email });
    if (earlier) await endInvitation(tx, context, earlier);
    if ((await tx.countBy(Invitation, { organizationId })) >= MAX_INVITATIONS)
      throw new GatewayError(
        "limit_reached",
        `An organization can have at most ${MAX_INVITATIONS} pending invitations.`,
      );
    const { actorId, actorName } = actorOf(context.caller);
    const created = tx.create(Invitation, {
      id: uuid(),
      organizationId,
      ...fields,
      invitedById: actorId,
      invitedBy: actorName,
      createdAt: timestamp(),
      expiresAt: timestamp(INVITATION_LIFETIME_MS),
    });
    await tx.insert(Invitation, created);
    await recordOn(tx, context, memberActions.invitation_created, created, {
      permissions: [null, permissions],
    });
    created.organization = await tx.findOneByOrFail(Organization, { id: organizationId });
    return created;
  }

  /** Withdraws a pending invitation to the caller's organization, or throws `not_found`. */
  withdraw(context: RequestContext, id: string): Promise<Invitation> {
    const { database } = this.services;
    const organizationId = organizationOf(context);
    return database.writeFor(ownerOf(context.caller), async (tx) => {
      await tx.lockInsertOrder(MEMBER_CHANGES, [organizationId]);
      await assertSignedIn(tx, context, { permission: Permission.config_manage });
      const invitation = await pendingInvitation(tx, organizationId, id);
      await endInvitation(tx, context, invitation);
      return invitation;
    });
  }

  /** Finds the pending invitation with a token; throws `invalid_invitation` or `too_many_attempts`. */
  async find({ origin }: RequestContext, token: string): Promise<Invitation> {
    const hash = isWellFormedInvitationToken(token) ? hashToken(token) : undefined;
    const found = await this.services.rejectedTokens.find(hash, origin.ip, async (tokenHash) => {
      const where = { tokenHash, expiresAt: MoreThan(timestamp()) };
      const invitation = await this.services.database.read((reader) =>
        reader.findOne(Invitation, { where, relations: { organization: true } }),
      );
      return invitation ?? undefined;
    });
    if (found === undefined) throw new GatewayError("invalid_invitation");
    return found;
  }

  /**
   * Accepts an invitation: adds the member and opens a session. Attempts count toward the IP address's sign-in limits.
   * @throws GatewayError `forbidden` if passwords are off, `invalid_invitation`, `conflict` if the address belongs to
   *   another account, `organization_deactivated` or `too_many_attempts`
   */
  async accept(context: RequestContext, input: AcceptInvitationInput): Promise<SignedIn> {
    const { database, checks } = this.services;
    const { origin } = context;
    const { token, password } = input;
    assertPasswordsOn(this.services.config);
    return checks.run(context, async () => {
      await countAddressAttempt(database, origin.ip);
      const { id, tokenHash, organizationId } = await this.find(context, token);
      const passwordHash = await hashPassword(password);
      return database.writeFor(ownerOf(context.caller), async (tx) => {
        await tx.lockInsertOrder(MEMBER_CHANGES, [organizationId]);
        const current = { id, tokenHash, expiresAt: MoreThan(timestamp()) };
        const invitation = await tx.findOne(Invitation, {
          where: current,
          relations: { organization: true },
        });
        if (invitation === null) throw new GatewayError("invalid_invitation");
        const member = await this.join(tx, origin, invitation, { passwordHash, name: nameFrom(input) });
        await recordSignIn(tx, member.email, origin.ip);
        return this.services.sessions.open(tx, member, origin);
      });
    });
  }

  /** Finds a pending invitation to an address, from any organization; the newest one unless `id` is given. */
  pendingFor(reader: EntityManager, email: string, id?: string): Promise<Invitation | null> {
    return reader.findOne(Invitation, {
      where: { email, expiresAt: MoreThan(timestamp()), ...(id !== undefined && { id }) },
      order: { id: "DESC" },
      relations: { organization: true },
    });
  }

  /**
   * Makes the invited person a member and ends the invitation, in a transaction that holds the
   * `MEMBER_CHANGES` lock. A member who can no longer sign in can also join again, with their old permissions. The new
   * password replaces the old one; if passwords are turned off, the old one is removed.
   * @param account.passwordHash empty for a person without a password
   * @param account.name null to leave an existing member's name unchanged
   * @throws GatewayError `conflict` if the address belongs to another account, or `organization_deactivated`
   */
  async join(
    tx: Tx,
    origin: RequestContext["origin"],
    invitation: Invitation,
    account: Pick<Member, "passwordHash" | "name">,
  ): Promise<Member> {
    const { organization, organizationId, email, permissions } = invitation;
    if (organization.deactivatedAt !== null) throw new GatewayError("organization_deactivated");
    const found = await tx.findOneBy(Member, { email });
    // Locks the member, so that no password or passkey can be added concurrently.
    const known = found && (await lockMember(tx, found.id));
    const isBack =
      known?.organizationId === organizationId && !(await canSignIn(tx, this.services.config, known));
    // The address may belong to a member of another organization. Revealing this to the address's owner is harmless.
    if (known !== null && !isBack)
      throw new GatewayError(
        "conflict",
        "The e-mail address already belongs to an account. Ask for an invitation to another address.",
      );
    await tx.delete(Invitation, { id: invitation.id });
    const id = known?.id ?? uuid();
    const session = { sessionId: "", signedInAt: timestamp() };
    const caller = { kind: "member" as const, id, email, permissions, ...session, organization };
    const context: RequestContext = { caller, origin };
    await recordOn(tx, context, memberActions.invitation_accepted, invitation);
    if (known !== null) {
      const changed = { ...account, name: account.name ?? known.name, isEmailSelfChosen: false };
      await tx.update(Member, { id }, changed);
      await tx.delete(Session, { memberId: id });
      if (account.passwordHash !== "")
        await recordOn(tx, context, memberActions.member_password_changed, known);
      else if (known.hasPassword) await recordOn(tx, context, memberActions.member_password_removed, known);
      return tx.merge(Member, known, { ...changed, organization });
    }
    const fields = { id, organizationId, email, permissions, ...account };
    const member = await this.services.members.add(tx, context, fields);
    return Object.assign(member, { organization });
  }

  /** Sends the link after the commit. A failure is harmless, because the link is always returned to the caller. */
  private async mail(invitation: Invitation, link: string): Promise<InvitationMail> {
    const { sendMail, config } = this.services;
    if (sendMail === undefined) return InvitationMail.off;
    const failed = await sendMail(invitationMail(invitation, link, config)).catch(() => ({
      code: "invalid_sender",
    }));
    if (failed === undefined) return InvitationMail.sent;
    const { log } = this.services;
    log.warn({ invitation: invitation.id, failure: failed.code }, "could not send an invitation by e-mail");
    return InvitationMail.failed;
  }

  private assertNotTooOften(organizationId: string): void {
    const now = performance.now();
    const { allowed, window } = countIn(this.windows.get(organizationId), MAX_PER_MINUTE, now);
    this.windows.set(organizationId, window);
    if (allowed) return;
    const message = "Too many invitations. Wait before sending another.";
    throw retryAfterError("too_many_attempts", window.endsAt, now, message);
  }
}

/** @throws GatewayError `not_found` */
async function pendingInvitation(tx: Tx, organizationId: string, id: string): Promise<Invitation> {
  const invitation = isUuid(id)
    ? await tx.findOne(Invitation, {
        where: { id, organizationId, expiresAt: MoreThan(timestamp()) },
        relations: { organization: true },
      })
    : null;
  if (invitation === null) throw noSuch("invitation");
  return invitation;
}
