import { Arg, Args, Ctx, ID, Int, Mutation, Query, Resolver } from "type-graphql";
import { cookieOf, type RequestContext } from "../../auth/context";
import { Permission } from "../../auth/permissions";
import { Access } from "../../schema/access";
import { AccountService } from "./account.service";
import { Member } from "./member.entity";
import {
  ChangeEmailInput,
  ChangePasswordInput,
  CookieSession,
  PermissionArgs,
  SignedIn,
  SignInInput,
} from "./member.inputs";
import { MemberService } from "./member.service";
import { SessionService } from "./session.service";

@Resolver(() => Member)
export class MemberResolver {
  constructor(
    private readonly service: MemberService,
    private readonly sessions: SessionService,
    private readonly account: AccountService,
  ) {}

  @Access({ member: true })
  @Query(() => Member, { description: "The signed-in member." })
  viewer(@Ctx() context: RequestContext): Promise<Member> {
    return this.service.viewer(context);
  }

  @Access("anyone")
  @Query(() => Member, {
    nullable: true,
    description:
      "The signed-in member; null for callers without a session. Unlike `viewer`, it does not fail for them.",
  })
  signedInMember(@Ctx() context: RequestContext): Promise<Member | null> {
    return this.service.signedIn(context);
  }

  @Access({ member: true })
  @Query(() => [Member], {
    description: "The members of the caller's organization, ordered by e-mail address.",
  })
  members(@Ctx() context: RequestContext): Promise<Member[]> {
    return this.service.list(context);
  }

  @Access("anyone")
  @Mutation(() => SignedIn, { description: "Opens a session for a member." })
  signIn(
    @Ctx() context: RequestContext,
    @Arg("input", () => SignInInput, { description: "E-mail address and password." }) input: SignInInput,
  ): Promise<SignedIn> {
    return this.sessions.signIn(context, input);
  }

  @Access("anyone")
  @Mutation(() => CookieSession, {
    description:
      "Opens a session for a member in a browser. The session token is set in an HttpOnly cookie and is not included in the response.",
  })
  async signInWithCookie(
    @Ctx() context: RequestContext,
    @Arg("input", () => SignInInput, { description: "E-mail address and password." }) input: SignInInput,
  ): Promise<CookieSession> {
    const cookie = cookieOf(context);
    const { token, expiresAt, member } = await this.sessions.signIn(context, input);
    cookie.set(token, expiresAt);
    return { expiresAt, member };
  }

  @Access({ member: Permission.config_manage })
  @Mutation(() => Member, {
    description:
      "Grants a permission to a member of the caller's organization, effective on the member's next request.",
  })
  grantPermission(
    @Ctx() context: RequestContext,
    @Args(() => PermissionArgs) args: PermissionArgs,
  ): Promise<Member> {
    return this.service.grantPermission(context, args);
  }

  @Access({ member: Permission.config_manage })
  @Mutation(() => Member, {
    description:
      "Revokes a permission of a member of the caller's organization, effective on the member's next request. The last member with `config:manage` cannot lose it.",
  })
  revokePermission(
    @Ctx() context: RequestContext,
    @Args(() => PermissionArgs) args: PermissionArgs,
  ): Promise<Member> {
    return this.service.revokePermission(context, args);
  }

  @Access({ member: true }, { whileDeactivated: true })
  @Mutation(() => Boolean, {
    description: "Ends the caller's session. Returns true if the session was still active.",
  })
  async signOut(@Ctx() context: RequestContext): Promise<boolean> {
    const ended = await this.sessions.signOut(context);
    context.cookie?.clear();
    return ended;
  }

  @Access({ member: true }, { whileDeactivated: true })
  @Mutation(() => Int, {
    description: "Ends all sessions of the member, including the current one. Returns their number.",
  })
  async signOutEverywhere(@Ctx() context: RequestContext): Promise<number> {
    const ended = await this.sessions.signOutEverywhere(context);
    context.cookie?.clear();
    return ended;
  }

  @Access({ member: true }, { whileDeactivated: true })
  @Mutation(() => Boolean, {
    description: "Changes the member's password and ends all of the member's other sessions.",
  })
  changePassword(
    @Ctx() context: RequestContext,
    @Arg("input", () => ChangePasswordInput, { description: "The current and the new password." })
    input: ChangePasswordInput,
  ): Promise<boolean> {
    return this.account.changePassword(context, input);
  }

  @Access({ member: true }, { whileDeactivated: true })
  @Mutation(() => Member, {
    description:
      "Changes the e-mail address that the member uses to sign in. The member's sessions remain valid.",
  })
  changeEmail(
    @Ctx() context: RequestContext,
    @Arg("input", () => ChangeEmailInput, { description: "The current password and the new address." })
    input: ChangeEmailInput,
  ): Promise<Member> {
    return this.account.changeEmail(context, input);
  }

  @Access({ member: Permission.config_manage })
  @Mutation(() => Member, {
    description:
      "Removes a member from the caller's organization, ends their sessions and withdraws the invitations they sent. The last member with `config:manage` cannot be removed.",
  })
  removeMember(
    @Ctx() context: RequestContext,
    @Arg("id", () => ID, { description: "ID of the member." }) id: string,
  ): Promise<Member> {
    return this.service.remove(context, id);
  }
}
