import { timestamp } from "../../common/time";
import { type Core, feature } from "../../schema/feature";
import { AccountService } from "./account.service";
import { Invitation } from "./invitation.entity";
import { InvitationResolver } from "./invitation.resolver";
import { InvitationService } from "./invitation.service";
import { Member } from "./member.entity";
import { MemberResolver } from "./member.resolver";
import { MemberService } from "./member.service";
import { MemberIdentity } from "./member-identity.entity";
import { Passkey } from "./passkey.entity";
import { PasskeyResolver } from "./passkey.resolver";
import { PasskeyService } from "./passkey.service";
import { PasswordChecks } from "./password-checks";
import { Session } from "./session.entity";
import { SessionResolver } from "./session.resolver";
import { SessionService } from "./session.service";
import { addSignInLink } from "./sign-in-link.http";
import { SignInThrottle } from "./sign-in-throttle.entity";
import { SingleUse } from "./single-use.entity";

/** An organization's members, their sessions and invitations, and limits on password guessing. */
export const members = feature({
  entities: [Member, MemberIdentity, Session, SignInThrottle, SingleUse, Invitation, Passkey],
  services: (core: Core) => {
    const { database, hooks, config, rejectedTokens } = core;
    const checks = new PasswordChecks();
    const members = new MemberService(database, hooks, config);
    const sessions = new SessionService(database, rejectedTokens, checks, config);
    const account = new AccountService(database, checks, config);
    const passkeys = new PasskeyService({ database, config, sessions, account });
    const invitations = new InvitationService({ ...core, members, sessions, checks });
    return { members, sessions, account, passkeys, invitations };
  },
  hooks: ({ sessions }) => ({
    sessions,
    // Nearly all valid anonymous requests are sign-ins. While too many sign-ins are in progress, anonymous
    // requests are rejected before they are parsed, because parsing is more expensive.
    anonymousPost: (context) => sessions.assertPasswordCheckFree(context),
  }),
  resolvers: (services) => [
    new MemberResolver(services.members, services.sessions, services.account),
    new SessionResolver(services.sessions),
    new PasskeyResolver(services.passkeys),
    new InvitationResolver(services.invitations),
  ],
  http: addSignInLink,
  expired: () => [
    { entity: Session, column: "expires_at", before: timestamp() },
    { entity: SignInThrottle, column: "window_ends_at", before: timestamp() },
    { entity: SingleUse, column: "expires_at", before: timestamp() },
    { entity: Invitation, column: "expires_at", before: timestamp() },
  ],
});
