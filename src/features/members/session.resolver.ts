import { Arg, Ctx, FieldResolver, ID, Mutation, Query, Resolver, Root } from "type-graphql";
import type { RequestContext } from "../../auth/context";
import { Access } from "../../schema/access";
import { AtMost } from "../../schema/list-size";
import { Input } from "../../schema/mutation-input";
import { EndSessionInput } from "./member.inputs";
import { Session } from "./session.entity";
import { MAX_LISTED_SESSIONS, SessionService } from "./session.service";

@Resolver(() => Session)
export class SessionResolver {
  constructor(private readonly sessions: SessionService) {}

  @Access({ member: true })
  @AtMost(MAX_LISTED_SESSIONS)
  @Query(() => [Session], {
    name: "sessions",
    description: "A member's most recent active sessions, newest first.",
  })
  list(
    @Ctx() context: RequestContext,
    @Arg("memberId", () => ID, {
      nullable: true,
      description:
        "ID of the member. Defaults to the caller. Only managers can list another member's sessions.",
    })
    memberId?: string | null,
  ): Promise<Session[]> {
    return this.sessions.list(context, memberId);
  }

  @FieldResolver(() => Boolean, { description: "True if the request was made with this session." })
  isCurrent(@Root() { id }: Session, @Ctx() { caller }: RequestContext): boolean {
    return caller.kind === "member" && caller.sessionId === id;
  }

  @Access({ member: true }, { whileDeactivated: true })
  @Mutation(() => Session, {
    description:
      "Ends one of the caller's sessions. Managers can also end other members' sessions. The session's next request is rejected.",
  })
  async endSession(@Ctx() context: RequestContext, @Input() { id }: EndSessionInput): Promise<Session> {
    const session = await this.sessions.end(context, id);
    if (context.caller.kind === "member" && context.caller.sessionId === id) context.cookie?.clear();
    return session;
  }
}
