import { timestamp } from "../../common/time";
import { feature } from "../../schema/feature";
import { Member } from "./member.entity";
import { MemberResolver } from "./member.resolver";
import { MemberService } from "./member.service";
import { Session } from "./session.entity";
import { SessionService } from "./session.service";
import { SignInThrottle } from "./sign-in-throttle.entity";

/** The members of an organization, their sessions, and limits on password guessing. */
export const members = feature({
  entities: [Member, Session, SignInThrottle],
  services: ({ database, refusedTokens }) => ({
    members: new MemberService(database),
    sessions: new SessionService(database, refusedTokens),
  }),
  resolvers: (services) => [new MemberResolver(services.members, services.sessions)],
  batches: ["sessions"],
  expired: () => [
    { entity: Session, column: "expires_at", before: timestamp() },
    { entity: SignInThrottle, column: "window_ends_at", before: timestamp() },
  ],
});
