import { Arg, Ctx, Mutation, Query, Resolver } from "type-graphql";
import type { RequestContext } from "../../auth/context";
import { Permission } from "../../auth/permissions";
import { Access } from "../../schema/access";
import { AtMost } from "../../schema/list-size";
import { Input } from "../../schema/mutation-input";
import { inCookie } from "./in-cookie";
import { Invitation } from "./invitation.entity";
import {
  AcceptInvitationInput,
  AcceptInvitationWithCookieInput,
  InviteMemberInput,
  NewInvitation,
  WithdrawInvitationInput,
} from "./invitation.inputs";
import { InvitationService, MAX_INVITATIONS } from "./invitation.service";
import { CookieSession, SignedIn } from "./member.inputs";

@Resolver(() => Invitation)
export class InvitationResolver {
  constructor(private readonly service: InvitationService) {}

  @Access({ member: Permission.config_manage })
  @AtMost(MAX_INVITATIONS)
  @Query(() => [Invitation], {
    description: "The pending invitations to the caller's organization, ordered by e-mail address.",
  })
  invitations(@Ctx() context: RequestContext): Promise<Invitation[]> {
    return this.service.list(context);
  }

  @Access("anyone")
  @Query(() => Invitation, {
    description: "The pending invitation for a token. Anyone with the token can read it.",
  })
  invitation(
    @Ctx() context: RequestContext,
    @Arg("token", () => String, {
      description:
        "Invitation token: the part of the link after `#`. Send it in a POST request, never in a URL.",
    })
    token: string,
  ): Promise<Invitation> {
    return this.service.find(context, token);
  }

  @Access({ member: Permission.config_manage }, { recentSignIn: true })
  @Mutation(() => NewInvitation, {
    description:
      "Invites a person to the caller's organization with a one-time link that expires after 72 hours. If a mail server is configured, the link is sent by e-mail.",
  })
  inviteMember(@Ctx() context: RequestContext, @Input() input: InviteMemberInput): Promise<NewInvitation> {
    return this.service.invite(context, input);
  }

  @Access({ member: Permission.config_manage })
  @Mutation(() => Invitation, {
    description: "Withdraws a pending invitation to the caller's organization. Its link stops working.",
  })
  withdrawInvitation(
    @Ctx() context: RequestContext,
    @Input() { id }: WithdrawInvitationInput,
  ): Promise<Invitation> {
    return this.service.withdraw(context, id);
  }

  @Access("anyone")
  @Mutation(() => SignedIn, { description: "Accepts an invitation: adds the member and opens a session." })
  acceptInvitation(@Ctx() context: RequestContext, @Input() input: AcceptInvitationInput): Promise<SignedIn> {
    return this.service.accept(context, input);
  }

  @Access("anyone")
  @Mutation(() => CookieSession, {
    description:
      "Accepts an invitation in a browser. The session token is set in an HttpOnly cookie, replacing the token of any earlier session, and is not included in the response.",
  })
  acceptInvitationWithCookie(
    @Ctx() context: RequestContext,
    @Input() input: AcceptInvitationWithCookieInput,
  ): Promise<CookieSession> {
    return inCookie(context, () => this.service.accept(context, input));
  }
}
