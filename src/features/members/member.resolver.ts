import { Ctx, FieldResolver, Mutation, Query, Resolver, Root } from "type-graphql";
import type { RequestContext } from "../../auth/context";
import { Permission } from "../../auth/permissions";
import { Access } from "../../schema/access";
import { Input } from "../../schema/mutation-input";
import { AccountService } from "./account.service";
import { inCookie } from "./in-cookie";
import { Member } from "./member.entity";
import {
  ChangeEmailInput,
  ChangeNameInput,
  ChangePasswordInput,
  ChangePermissionsInput,
  CookieSession,
  GrantPermissionInput,
  RemoveMemberInput,
  RevokePermissionInput,
  SignedIn,
  SignInInput,
  SignInOptions,
  SignInWithCookieInput,
  SignOutEverywherePayload,
  SignOutPayload,
  UnlinkIdentityInput,
} from "./member.inputs";
import { MemberService } from "./member.service";
import { MemberIdentity } from "./member-identity.entity";
import { SessionService } from "./session.service";

@Resolver(() => Member)
export class MemberResolver {
  constructor(
    private readonly service: MemberService,
    private readonly sessions: SessionService,
    private readonly account: AccountService,
  ) {}

  @Access("anyone")
  @Query(() => Member, {
    nullable: true,
    description: "The signed-in member, or null for callers without a session.",
  })
  viewer(@Ctx() context: RequestContext): Promise<Member | null> {
    return this.service.viewer(context);
  }

  @Access({ member: true, organizationKey: "members:read" })
  @Query(() => [Member], {
    description: "The organization's members, ordered by e-mail address.",
  })
  members(@Ctx() context: RequestContext): Promise<Member[]> {
    return this.service.list(context);
  }

  @Access("anyone")
  @Query(() => SignInOptions, { description: "The available sign-in methods." })
  signInOptions(): SignInOptions {
    return this.sessions.options;
  }

  @FieldResolver(() => MemberIdentity, {
    nullable: true,
    description: "The OpenID Connect account that the member signs in with, or null if there is none.",
  })
  async identity(@Root() { id }: Member): Promise<MemberIdentity | null> {
    return (await this.service.identityOf(id)) ?? null;
  }

  @Access("anyone")
  @Mutation(() => SignedIn, { description: "Opens a session for a member." })
  signIn(@Ctx() context: RequestContext, @Input() input: SignInInput): Promise<SignedIn> {
    return this.sessions.signIn(context, input);
  }

  @Access("anyone")
  @Mutation(() => CookieSession, {
    description:
      "Opens a session in a browser for a member. The session token is set in an HttpOnly cookie and is not included in the response.",
  })
  signInWithCookie(
    @Ctx() context: RequestContext,
    @Input() input: SignInWithCookieInput,
  ): Promise<CookieSession> {
    return inCookie(context, () => this.sessions.signIn(context, input));
  }

  @Access({ member: Permission.config_manage }, { recentSignIn: true })
  @Mutation(() => Member, {
    description:
      "Grants a permission to a member of the caller's organization, effective on the member's next request.",
  })
  grantPermission(@Ctx() context: RequestContext, @Input() input: GrantPermissionInput): Promise<Member> {
    return this.service.grantPermission(context, input);
  }

  @Access({ member: Permission.config_manage })
  @Mutation(() => Member, {
    description:
      "Revokes a permission from a member of the caller's organization, effective on the member's next request. The last member with `config:manage` cannot lose that permission.",
  })
  revokePermission(@Ctx() context: RequestContext, @Input() input: RevokePermissionInput): Promise<Member> {
    return this.service.revokePermission(context, input);
  }

  @Access({ member: Permission.config_manage }, { recentSignIn: true })
  @Mutation(() => Member, {
    description:
      "Grants and revokes a member's permissions atomically, effective on the member's next request. The last member with `config:manage` cannot lose that permission.",
  })
  changePermissions(@Ctx() context: RequestContext, @Input() input: ChangePermissionsInput): Promise<Member> {
    return this.service.changePermissions(context, input);
  }

  @Access({ member: true }, { whileDeactivated: true })
  @Mutation(() => SignOutPayload, { description: "Ends the caller's session." })
  async signOut(@Ctx() context: RequestContext): Promise<SignOutPayload> {
    const wasActive = await this.sessions.signOut(context);
    context.cookie?.clear();
    return { wasActive };
  }

  @Access({ member: true }, { whileDeactivated: true })
  @Mutation(() => SignOutEverywherePayload, {
    description: "Ends all of the caller's sessions, including the current one.",
  })
  async signOutEverywhere(@Ctx() context: RequestContext): Promise<SignOutEverywherePayload> {
    const endedSessions = await this.sessions.signOutEverywhere(context);
    context.cookie?.clear();
    return { endedSessions };
  }

  @Access({ member: true }, { whileDeactivated: true, recentSignIn: true })
  @Mutation(() => Member, {
    description:
      "Sets or changes the caller's password and ends all of their other sessions. Requires a recent sign-in.",
  })
  changePassword(@Ctx() context: RequestContext, @Input() input: ChangePasswordInput): Promise<Member> {
    return this.account.changePassword(context, input);
  }

  @Access({ member: true }, { whileDeactivated: true, recentSignIn: true })
  @Mutation(() => Member, {
    description:
      "Removes the caller's password, which can then no longer be used to sign in. The caller must have a passkey. Requires a recent sign-in.",
  })
  removePassword(@Ctx() context: RequestContext): Promise<Member> {
    return this.account.removePassword(context);
  }

  @Access({ member: true }, { whileDeactivated: true, recentSignIn: true })
  @Mutation(() => Member, {
    description:
      "Changes the e-mail address that the member uses to sign in. The member's sessions remain valid. Requires a recent sign-in.",
  })
  changeEmail(@Ctx() context: RequestContext, @Input() input: ChangeEmailInput): Promise<Member> {
    return this.account.changeEmail(context, input);
  }

  @Access({ member: true }, { whileDeactivated: true })
  @Mutation(() => Member, { description: "Changes the caller's name, as seen by other members." })
  changeName(@Ctx() context: RequestContext, @Input() input: ChangeNameInput): Promise<Member> {
    return this.account.changeName(context, input);
  }

  @Access({ member: Permission.config_manage })
  @Mutation(() => Member, {
    description:
      "Removes a member from the caller's organization, ends their sessions and withdraws the invitations they sent. The last member with `config:manage` cannot be removed.",
  })
  removeMember(@Ctx() context: RequestContext, @Input() { id }: RemoveMemberInput): Promise<Member> {
    return this.service.remove(context, id);
  }

  @Access({ member: Permission.config_manage }, { recentSignIn: true })
  @Mutation(() => Member, {
    description:
      "Unlinks a member of the caller's organization from their OpenID Connect account and ends the sessions opened with that account. On the next OpenID Connect sign-in, an account with the member's verified e-mail address is linked, unless the member chose that address with `changeEmail`. Requires a recent sign-in.",
  })
  unlinkIdentity(
    @Ctx() context: RequestContext,
    @Input() { memberId }: UnlinkIdentityInput,
  ): Promise<Member> {
    return this.service.unlinkIdentity(context, memberId);
  }
}
