// One class, because adding a passkey, signing in and confirming a sign-in issue and use up challenges in the same
// way.

import { v7 as uuid } from "uuid";
import { assertSignedIn } from "../../auth/assert-signed-in";
import { type Origin, ownerOf } from "../../auth/caller";
import { anonymousAt, memberCaller, organizationOf, type RequestContext } from "../../auth/context";
import { timestamp } from "../../common/time";
import { isUuid } from "../../common/uuid";
import { sha256 } from "../../credentials/sha256";
import { insertUnlessTaken } from "../../database/insert-unless-taken";
import { returning } from "../../database/returning";
import type { Tx } from "../../database/unit-of-work";
import { GatewayError, noSuch } from "../../errors";
import type { Core } from "../../schema/feature";
import type { AccountService } from "./account.service";
import { memberActions, recordOn } from "./member.audit";
import { Member } from "./member.entity";
import type { SignedIn, SignInInput } from "./member.inputs";
import { isOwn, lockMember, removeWayToSignIn } from "./member.service";
import { Passkey } from "./passkey.entity";
import type {
  AddPasskeyInput,
  ConfirmSignInInput,
  PasskeyOptions,
  SignInWithPasskeyInput,
} from "./passkey.inputs";
import type { Session } from "./session.entity";
import { assertPasswordsOn, confirmSession, isManager, type SessionService } from "./session.service";
import { countAddressAttempt, recordSignIn } from "./sign-in-throttle";
import { SingleUse } from "./single-use.entity";
import { CHALLENGE_LIFETIME_MS, challengeIn, isCredentialId, WebAuthn } from "./webauthn";

/** Max passkeys per member. */
export const MAX_PASSKEYS = 20;

interface Dependencies extends Pick<Core, "database" | "config"> {
  sessions: SessionService;
  account: AccountService;
}

/** Adds, lists and removes passkeys, and signs members in with them. */
export class PasskeyService {
  private readonly webAuthn: WebAuthn;

  constructor(private readonly services: Dependencies) {
    this.webAuthn = new WebAuthn(services.config);
  }

  /** Lists a member's passkeys, oldest first; see `SessionService.listedMember`. */
  async list(context: RequestContext, memberId?: string | null): Promise<Passkey[]> {
    const id = await this.services.sessions.listedMember(context, memberId);
    return this.services.database.read((reader) => passkeysOf(reader, id));
  }

  /**
   * Starts the registration of a passkey. The challenge is bound to the caller's session and replaces any earlier one.
   * @throws GatewayError `forbidden` if passkeys are off, `limit_reached` or `invalid_session`
   */
  async startRegistration(context: RequestContext): Promise<PasskeyOptions> {
    const { database, config } = this.services;
    assertPasswordsOn(config);
    const member = memberCaller(context);
    const { id, sessionId } = member;
    const existing = await database.read((reader) => passkeysOf(reader, id));
    const options = await this.webAuthn.creationOptions(member, existing);
    return database.writeFor(ownerOf(context.caller), async (tx) => {
      await assertSignedIn(tx, context, { whileDeactivated: true });
      await assertRoom(tx, id);
      await tx.delete(SingleUse, { sessionId });
      return issue(tx, options, { sessionId, memberId: null });
    });
  }

  /**
   * Adds a passkey for the calling member, who must then use a passkey to sign in.
   * @throws GatewayError `invalid_passkey`, `limit_reached`, `conflict` for a passkey that was already added,
   *   or `invalid_session`
   */
  async add(context: RequestContext, input: AddPasskeyInput): Promise<Passkey> {
    const { id: memberId, sessionId } = memberCaller(context);
    const challenge = challengeIn(input.clientDataJSON);
    const verified = await this.webAuthn.verifyNew(challenge, input);
    const added = await this.services.database.writeFor(ownerOf(context.caller), async (tx) => {
      await assertSignedIn(tx, context, { whileDeactivated: true });
      const used = await useChallenge(tx, challenge);
      if (verified === undefined || used?.sessionId !== sessionId) return undefined;
      await assertRoom(tx, memberId);
      const member = await tx.findOneByOrFail(Member, { id: memberId });
      const passkey = tx.create(Passkey, {
        id: uuid(),
        memberId,
        ...verified,
        transports: input.transports.filter((transport) => /^[a-z-]+$/.test(transport)),
        name: input.name.trim(),
        createdAt: timestamp(),
        lastUsedAt: null,
      });
      await insertUnlessTaken(tx, Passkey, passkey, "This passkey was already added.");
      const changes = { passkey: [null, passkey.name] } as const;
      await recordOn(tx, context, memberActions.member_passkey_added, member, changes);
      return passkey;
    });
    if (added === undefined) throw new GatewayError("invalid_passkey");
    return added;
  }

  /** Renames one of the caller's passkeys, or throws `not_found`. */
  rename(context: RequestContext, id: string, newName: string): Promise<Passkey> {
    const name = newName.trim();
    return this.services.database.writeFor(ownerOf(context.caller), async (tx) => {
      await assertSignedIn(tx, context, { whileDeactivated: true });
      const passkey = await this.find(tx, context, id);
      if (!isOwn(context, passkey.memberId)) throw noSuch("passkey");
      if (passkey.name === name) return passkey;
      await tx.update(Passkey, { id }, { name });
      const changes = { passkey: [passkey.name, name] } as const;
      await recordOn(tx, context, memberActions.member_passkey_renamed, passkey.member, changes);
      return tx.merge(Passkey, passkey, { name });
    });
  }

  /**
   * Removes one of the caller's passkeys. Managers can remove any member's passkeys.
   * @throws GatewayError `not_found`, including for a passkey that the caller may not remove, or `conflict` if it is
   *   the caller's last sign-in method
   */
  remove(context: RequestContext, id: string): Promise<Passkey> {
    const { database, config } = this.services;
    return database.writeFor(ownerOf(context.caller), async (tx) => {
      await assertSignedIn(tx, context, { whileDeactivated: true });
      const passkey = await this.find(tx, context, id);
      if (!(isOwn(context, passkey.memberId) || (await isManager(tx, context)))) throw noSuch("passkey");
      await removeWayToSignIn(tx, context, config, passkey.member, async () => {
        const { affected } = await tx.delete(Passkey, { id });
        if (affected !== 1) throw noSuch("passkey");
      });
      const changes = { passkey: [passkey.name, null] } as const;
      await recordOn(tx, context, memberActions.member_passkey_removed, passkey.member, changes);
      return passkey;
    });
  }

  /** Removes all of a member's passkeys on behalf of an operator, and returns their number. */
  removeAll(context: RequestContext, member: Member): Promise<number> {
    return this.services.database.writeFor(ownerOf(context.caller), async (tx) => {
      await lockMember(tx, member.id);
      const removed = await passkeysOf(tx, member.id);
      await tx.delete(Passkey, { memberId: member.id });
      for (const { name } of removed) {
        const changes = { passkey: [name, null] } as const;
        await recordOn(tx, context, memberActions.member_passkey_removed, member, changes);
      }
      return removed.length;
    });
  }

  /**
   * Starts a sign-in with a passkey or, if the caller is already signed in, a reauthentication. Counts as a sign-in
   * attempt.
   * @param credentials the passkey owner's credentials; if omitted, a signed-in caller may use any of their own
   *   passkeys, and other callers may use any passkey
   * @throws GatewayError `forbidden`, `invalid_credentials` or `too_many_attempts`, like a sign-in with a password
   */
  async startSignIn(context: RequestContext, credentials?: SignInInput | null): Promise<PasskeyOptions> {
    const { database, sessions, config } = this.services;
    assertPasswordsOn(config);
    let memberId = context.caller.kind === "member" ? context.caller.id : null;
    if (credentials == null) await countAddressAttempt(database, context.origin.ip);
    else memberId = (await sessions.checkPassword(context, credentials)).id;
    const allowed =
      memberId === null ? undefined : await database.read((reader) => passkeysOf(reader, memberId));
    const options = await this.webAuthn.requestOptions(allowed);
    return database.write((tx) => issue(tx, options, { sessionId: null, memberId }));
  }

  /**
   * Opens a session for a passkey's owner. The authenticator has verified its user, so the passkey counts as
   * two factors.
   * @throws GatewayError `forbidden`, or `invalid_passkey`; rejecting an unknown passkey takes as long as
   *   rejecting a wrong signature, except for the audit entry
   */
  signIn({ origin }: RequestContext, input: SignInWithPasskeyInput): Promise<SignedIn> {
    return this.verified(origin, input, (tx, member) => this.services.sessions.open(tx, member, origin));
  }

  /**
   * Reauthenticates the calling member with their password or a passkey.
   * @throws GatewayError `forbidden` if passwords and passkeys are off, `invalid_credentials`,
   *   `passkey_required`, `invalid_passkey`, `invalid_session` or `too_many_attempts`
   */
  confirmSignIn(context: RequestContext, { password, passkey }: ConfirmSignInInput): Promise<Session> {
    if (passkey === undefined) return this.services.account.confirmSignIn(context, password ?? "");
    const confirm = async (tx: Tx, member: Member) => {
      await assertSignedIn(tx, context, { whileDeactivated: true });
      return confirmSession(tx, context, member);
    };
    return this.verified(context.origin, passkey, confirm, memberCaller(context).id);
  }

  /**
   * Verifies a passkey's signature; if `onlyFor` is given, only that member's passkeys are accepted.
   * @param act called with the passkey's owner in the transaction that uses up the challenge
   */
  private async verified<T>(
    origin: Origin,
    input: SignInWithPasskeyInput,
    act: (tx: Tx, member: Member) => Promise<T>,
    onlyFor?: string,
  ): Promise<T> {
    const { database, config } = this.services;
    assertPasswordsOn(config);
    const challenge = challengeIn(input.clientDataJSON);
    const known = await database.read(async (reader) => {
      const isIssued = await reader.existsBy(SingleUse, { hash: hashOf(challenge) });
      if (!isIssued || !isCredentialId(input.credentialId)) return undefined;
      const found = await reader.findOneBy(Passkey, { credentialId: input.credentialId });
      return { passkey: found };
    });
    // Does no more work for an unknown challenge, because only issuing a challenge counts as an attempt.
    if (known === undefined) throw new GatewayError("invalid_passkey");
    const { passkey } = known;
    const counter = await this.webAuthn.verifySignature(challenge, input, passkey);
    const result = await database.write(async (tx) => {
      const used = await useChallenge(tx, challenge);
      // Runs this query even for an unknown passkey, so that rejecting one is not faster.
      const member = await lockMember(tx, passkey?.memberId ?? "");
      if (passkey === null || member === null) return undefined;
      const reject = async (action: "member_passkey_rejected" | "member_passkey_cloned") => {
        await recordOn(tx, anonymousAt(origin), memberActions[action], member, {
          passkey: [passkey.name, passkey.name],
        });
        return undefined;
      };
      const isFor =
        used?.sessionId === null && [used.memberId, onlyFor].every((id) => (id ?? member.id) === member.id);
      const handle = Buffer.from(member.id).toString("base64url");
      const isHolder = (input.userHandle ?? handle) === handle;
      if (counter === undefined || !isFor || !isHolder) return reject("member_passkey_rejected");
      // Only one of several sign-ins with the same counter value succeeds.
      const { affected } = await tx
        .createQueryBuilder()
        .update(Passkey)
        .set({ counter, lastUsedAt: timestamp() })
        .where("id = :id AND (counter < :counter OR (counter = 0 AND :counter = 0))", {
          id: passkey.id,
          counter,
        })
        .execute();
      if (affected !== 1) {
        const isRemoved = !(await tx.existsBy(Passkey, { id: passkey.id }));
        return reject(isRemoved ? "member_passkey_rejected" : "member_passkey_cloned");
      }
      await recordSignIn(tx, member.email, origin.ip);
      return { acted: await act(tx, member) };
    });
    if (result === undefined) throw new GatewayError("invalid_passkey");
    return result.acted;
  }

  private async find(tx: Tx, context: RequestContext, id: string): Promise<Passkey & { member: Member }> {
    const organizationId = organizationOf(context);
    const passkey = isUuid(id)
      ? await tx.findOne(Passkey, { where: { id, member: { organizationId } }, relations: { member: true } })
      : null;
    if (!passkey?.member) throw noSuch("passkey");
    return passkey as Passkey & { member: Member };
  }
}

const passkeysOf = (reader: Pick<Tx, "find">, memberId: string): Promise<Passkey[]> =>
  reader.find(Passkey, { where: { memberId }, order: { id: "ASC" }, take: MAX_PASSKEYS });

/** @throws GatewayError `limit_reached` */
async function assertRoom(tx: Tx, memberId: string): Promise<void> {
  if ((await tx.countBy(Passkey, { memberId })) < MAX_PASSKEYS) return;
  throw new GatewayError("limit_reached", `A member can have at most ${MAX_PASSKEYS} passkeys.`);
}

/** The session or member that a challenge was issued to. */
type Owner = Pick<SingleUse, "sessionId" | "memberId">;

/** Prefixed, so that a challenge claimed by a client cannot delete the row of a used sign-in or token. */
const hashOf = (challenge: string) => sha256(`passkey challenge ${challenge}`);

/** Stores a challenge, so that any process can accept it, but only once. */
async function issue(tx: Tx, options: { challenge: string }, owner: Owner): Promise<PasskeyOptions> {
  const expiresAt = timestamp(CHALLENGE_LIFETIME_MS);
  await tx.insert(SingleUse, { hash: hashOf(options.challenge), ...owner, expiresAt });
  return { options, expiresAt };
}

/** Invalidates a challenge and returns its owner; undefined if it was already used or has expired. */
const useChallenge = (tx: Tx, challenge: string): Promise<Owner | undefined> =>
  returning(
    tx,
    `delete from single_use where hash = $1 and expires_at > $2
     returning session_id as "sessionId", member_id as "memberId"`,
    [hashOf(challenge), timestamp()],
  );
