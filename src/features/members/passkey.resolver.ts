import { Arg, Ctx, ID, Mutation, Query, Resolver } from "type-graphql";
import type { RequestContext } from "../../auth/context";
import { Access } from "../../schema/access";
import { AtMost } from "../../schema/list-size";
import { Input } from "../../schema/mutation-input";
import { inCookie } from "./in-cookie";
import { CookieSession, SignedIn } from "./member.inputs";
import { Passkey } from "./passkey.entity";
import {
  AddPasskeyInput,
  ConfirmSignInInput,
  PasskeyOptions,
  RemovePasskeyInput,
  RenamePasskeyInput,
  SignInWithPasskeyAndCookieInput,
  SignInWithPasskeyInput,
  StartPasskeySignInInput,
} from "./passkey.inputs";
import { MAX_PASSKEYS, PasskeyService } from "./passkey.service";
import { Session } from "./session.entity";

@Resolver(() => Passkey)
export class PasskeyResolver {
  constructor(private readonly service: PasskeyService) {}

  @Access({ member: true })
  @AtMost(MAX_PASSKEYS)
  @Query(() => [Passkey], { description: "A member's passkeys, oldest first." })
  passkeys(
    @Ctx() context: RequestContext,
    @Arg("memberId", () => ID, {
      nullable: true,
      description:
        "ID of the member. Defaults to the caller. Only managers can list another member's passkeys.",
    })
    memberId?: string | null,
  ): Promise<Passkey[]> {
    return this.service.list(context, memberId);
  }

  @Access({ member: true }, { whileDeactivated: true, recentSignIn: true })
  @Mutation(() => PasskeyOptions, {
    description:
      "Starts registering a passkey for the calling member. The challenge is bound to the caller's session and replaces any earlier challenge. Requires a recent sign-in.",
  })
  startPasskeyRegistration(@Ctx() context: RequestContext): Promise<PasskeyOptions> {
    return this.service.startRegistration(context);
  }

  @Access({ member: true }, { whileDeactivated: true })
  @Mutation(() => Passkey, {
    description:
      "Adds a passkey for the calling member. Their password alone is then no longer enough to sign in.",
  })
  addPasskey(@Ctx() context: RequestContext, @Input() input: AddPasskeyInput): Promise<Passkey> {
    return this.service.add(context, input);
  }

  @Access({ member: true }, { whileDeactivated: true })
  @Mutation(() => Passkey, { description: "Renames one of the caller's passkeys." })
  renamePasskey(@Ctx() context: RequestContext, @Input() { id, name }: RenamePasskeyInput): Promise<Passkey> {
    return this.service.rename(context, id, name);
  }

  @Access({ member: true }, { whileDeactivated: true, recentSignIn: true })
  @Mutation(() => Passkey, {
    description:
      "Removes one of the caller's passkeys. Managers can also remove other members' passkeys. A member without passkeys signs in with their password. Requires a recent sign-in.",
  })
  removePasskey(@Ctx() context: RequestContext, @Input() { id }: RemovePasskeyInput): Promise<Passkey> {
    return this.service.remove(context, id);
  }

  @Access("anyone")
  @Mutation(() => PasskeyOptions, {
    description:
      "Starts a passkey sign-in. For a signed-in member, starts a confirmation with one of their passkeys instead.",
  })
  startPasskeySignIn(
    @Ctx() context: RequestContext,
    @Input() { credentials }: StartPasskeySignInInput,
  ): Promise<PasskeyOptions> {
    return this.service.startSignIn(context, credentials);
  }

  @Access({ member: true }, { whileDeactivated: true })
  @Mutation(() => Session, {
    description:
      "Confirms the current session with the member's password or, if the member has passkeys, with a passkey. For the next 15 minutes, operations that require a recent sign-in are allowed in the session.",
  })
  confirmSignIn(@Ctx() context: RequestContext, @Input() input: ConfirmSignInInput): Promise<Session> {
    return this.service.confirmSignIn(context, input);
  }

  @Access("anyone")
  @Mutation(() => SignedIn, { description: "Opens a session for a member who signs in with a passkey." })
  signInWithPasskey(
    @Ctx() context: RequestContext,
    @Input() input: SignInWithPasskeyInput,
  ): Promise<SignedIn> {
    return this.service.signIn(context, input);
  }

  @Access("anyone")
  @Mutation(() => CookieSession, {
    description:
      "Opens a session in a browser for a member who signs in with a passkey. The session token is set in an HttpOnly cookie and is not included in the response.",
  })
  signInWithPasskeyAndCookie(
    @Ctx() context: RequestContext,
    @Input() input: SignInWithPasskeyAndCookieInput,
  ): Promise<CookieSession> {
    return inCookie(context, () => this.service.signIn(context, input));
  }
}
