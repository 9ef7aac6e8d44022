import { timestamp } from "../../common/time";
import { feature } from "../../schema/feature";
import { AccountService } from "./account.service";
import { Invitation } from "./invitation.entity";
import { InvitationResolver } from "./invitation.resolver";
import { InvitationService } from "./invitation.service";
import { Member } from "./member.entity";
import { MemberResolver } from "./member.resolver";
import { MemberService } from "./member.service";
import { PasswordChecks } from "./password-checks";
import { Session } from "./session.entity";
import { SessionResolver } from "./session.resolver";
import { SessionService } from "./session.service";
import { SignInThrottle } from "./sign-in-throttle.entity";

/** The members of an organization, their sessions and invitations, and limits on password guessing. */
export const members = feature({
  entities: [Member, Session, SignInThrottle, Invitation],
  services: ({ database, hooks, config, log, rejectedTokens, sendMail }) => {
    const checks = new PasswordChecks();
    const members = new MemberService(database, hooks);
    const sessions = new SessionService(database, rejectedTokens, checks);
    const account = new AccountService(database, checks);
    const shared = { database, config, sendMail, log, rejectedTokens, members, sessions, checks };
    return { members, sessions, account, invitations: new InvitationService(shared) };
  },
  hooks: ({ sessions }) => ({
    sessions,
    // Without a credential, little but a sign-in can succeed; parsing would cost more than rejecting the request.
    anonymousPost: (context) => sessions.assertPasswordCheckFree(context),
  }),
  resolvers: (services) => [
    new MemberResolver(services.members, services.sessions, services.account),
    new SessionResolver(services.sessions),
    new InvitationResolver(services.invitations),
  ],
  batches: ["sessions"],
  expired: () => [
    { entity: Session, column: "expires_at", before: timestamp() },
    { entity: SignInThrottle, column: "window_ends_at", before: timestamp() },
    { entity: Invitation, column: "expires_at", before: timestamp() },
  ],
});
