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
  services: (core: Core & Needs) => ({ oidc: core.config.oidc && new OidcService(core, core.config.oidc) }),
  resolvers: () => [],
  http: addOidc,
});
