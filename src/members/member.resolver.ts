import { Arg, Ctx, Mutation, Query, Resolver } from "type-graphql";
import type { RequestContext } from "../context";
import { Access } from "../graphql/access";
import { Member } from "./member.entity";
import { SignedIn, SignInInput } from "./member.inputs";
import { MemberService } from "./member.service";
import { SessionService } from "./session.service";

@Resolver(() => Member)
export class MemberResolver {
  constructor(
    private readonly members: MemberService,
    private readonly sessions: SessionService,
  ) {}

  @Access("member")
  @Query(() => Member, { description: "The member who is signed in." })
  viewer(@Ctx() context: RequestContext): Promise<Member> {
    return this.members.viewer(context);
  }

  @Access("anyone")
  @Mutation(() => SignedIn, { description: "Opens a session for a member." })
  signIn(
    @Ctx() context: RequestContext,
    @Arg("input", () => SignInInput, { description: "E-mail address and password." }) input: SignInInput,
  ): Promise<SignedIn> {
    return this.sessions.signIn(context, input);
  }

  @Access("member", { whileDeactivated: true })
  @Mutation(() => Boolean, { description: "Ends the session that calls." })
  signOut(@Ctx() context: RequestContext): Promise<boolean> {
    return this.sessions.signOut(context);
  }
}
