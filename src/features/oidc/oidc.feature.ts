import { type Core, feature } from "../../schema/feature";
import type { InvitationService } from "../members/invitation.service";
import type { MemberService } from "../members/member.service";
import type { SessionService } from "../members/session.service";
import { addOidc } from "./oidc.http";
import { OidcService } from "./oidc.service";

interface Needs {
  members: MemberService;
  sessions: SessionService;
  invitations: InvitationService;
}

/** Sign-in with OpenID Connect. */
export const oidc = feature({
  entities: [],
  services: ({ database, config, log, members, sessions, invitations }: Core & Needs) => ({
    oidc:
      config.oidc === undefined
        ? undefined
        : new OidcService({ database, config, log, members, sessions, invitations }, config.oidc),
  }),
  resolvers: () => [],
  http: addOidc,
});
