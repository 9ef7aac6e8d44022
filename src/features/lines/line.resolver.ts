import { Arg, Ctx, FieldResolver, ID, Mutation, Query, Resolver, Root } from "type-graphql";
import type { RequestContext } from "../../auth/context";
import { Permission } from "../../auth/permissions";
import { findIfAny } from "../../common/coalesce";
import { Access } from "../../schema/access";
import { AtMost } from "../../schema/list-size";
import { Input } from "../../schema/mutation-input";
import { MAY_READ_LINES } from "../agents/agent.access";
import { Agent } from "../agents/agent.entity";
import { SCOPED_AGENT_ID } from "../agents/agent.inputs";
import { unlessDeleted } from "../agents/agent-scope";
import { Line } from "./line.entity";
import {
  ArchiveLineInput,
  CreateLineInput,
  LineWithSecret,
  PauseLineInput,
  ResumeLineInput,
  RotateLineSecretInput,
  SetDefaultLineInput,
  UpdateLineInput,
} from "./line.inputs";
import { MAX_LINES } from "./line.limits";
import { LineService } from "./line.service";
import { choiceOf, LineChoice } from "./line-choice";
import { LineFault } from "./line-fault";
import { LineTest, LineTestService, TestLineInput } from "./line-test.service";

const MANAGERS = { member: Permission.config_manage, organizationKey: "lines:manage" } as const;

@Resolver(() => Agent)
export class AgentLinesResolver {
  constructor(private readonly service: LineService) {}

  // Costs as much as a list of average length, not of `MAX_LINES`, so that one query can request all agents' lines.
  @Access(MAY_READ_LINES)
  @FieldResolver(() => [Line], {
    nullable: true,
    description:
      "The agent's lines, ordered by name, or null for a deleted agent. API keys need the `agent:read` scope.",
  })
  lines(@Root() agent: Agent): Promise<Line[] | null> {
    return unlessDeleted(agent, async (id) => (await this.service.ofAgent(id)) ?? []);
  }
}

@Resolver(() => Line)
export class LineResolver {
  constructor(
    private readonly service: LineService,
    private readonly tests: LineTestService,
  ) {}

  @Access(MAY_READ_LINES)
  @AtMost(MAX_LINES)
  @Query(() => [Line], { description: "An agent's lines, ordered by name." })
  lines(
    @Ctx() context: RequestContext,
    @Arg("agentId", () => ID, SCOPED_AGENT_ID)
    agentId: string | null | undefined,
  ): Promise<Line[]> {
    return this.service.list(context, agentId);
  }

  @Access({ member: Permission.conversations_read })
  @AtMost(MAX_LINES)
  @Query(() => [LineChoice], {
    description:
      "An agent's lines, ordered by name, without their settings. For members who choose a line but cannot read its settings.",
  })
  async lineChoices(
    @Ctx() context: RequestContext,
    @Arg("agentId", () => ID, { description: "ID of the agent." }) agentId: string,
  ): Promise<LineChoice[]> {
    return (await this.service.list(context, agentId)).map(choiceOf);
  }

  @FieldResolver(() => LineFault, {
    nullable: true,
    description:
      "The fault that keeps the line from sending messages, or null once the line has sent a message. On e-mail lines, the rejection of an individual message is not a fault.",
  })
  fault(@Root() { id }: Line): Promise<LineFault | null> {
    return findIfAny(this.service.faultOf, id);
  }

  @Access(MANAGERS)
  @Mutation(() => LineWithSecret, {
    description:
      "Creates a line. An agent's first line becomes its default line. An agent can have at most 50 lines.",
  })
  createLine(@Ctx() context: RequestContext, @Input() input: CreateLineInput): Promise<LineWithSecret> {
    return this.service.create(context, input);
  }

  @Access(MANAGERS)
  @Mutation(() => Line, { description: "Changes the name or settings of a line." })
  updateLine(@Ctx() context: RequestContext, @Input() input: UpdateLineInput): Promise<Line> {
    return this.service.update(context, input);
  }

  @Access(MANAGERS)
  @Mutation(() => LineWithSecret, {
    description:
      "Creates a new signing secret for a webhook line. For 24 hours, messages are also signed with the previous secret.",
  })
  rotateLineSecret(
    @Ctx() context: RequestContext,
    @Input() input: RotateLineSecretInput,
  ): Promise<LineWithSecret> {
    return this.service.rotateSecret(context, input);
  }

  @Access(MANAGERS)
  @Mutation(() => LineTest, {
    description:
      "Sends a test message over a line immediately, regardless of its state, and returns the result. An organization can run one test at a time and at most 10 per minute.",
  })
  testLine(@Ctx() context: RequestContext, @Input() input: TestLineInput): Promise<LineTest> {
    return this.tests.run(context, input);
  }

  @Access(MANAGERS)
  @Mutation(() => Line, { description: "Pauses a line. Pausing a paused line changes only the reason." })
  pauseLine(@Ctx() context: RequestContext, @Input() input: PauseLineInput): Promise<Line> {
    return this.service.pause(context, input);
  }

  @Access(MANAGERS)
  @Mutation(() => Line, { description: "Puts a paused or archived line back into use." })
  resumeLine(@Ctx() context: RequestContext, @Input() { id }: ResumeLineInput): Promise<Line> {
    return this.service.resume(context, id);
  }

  @Access(MANAGERS)
  @Mutation(() => Line, {
    description:
      "Takes a line out of use. The default line cannot be archived, so set another default first.",
  })
  archiveLine(@Ctx() context: RequestContext, @Input() { id }: ArchiveLineInput): Promise<Line> {
    return this.service.archive(context, id);
  }

  @Access(MANAGERS)
  @Mutation(() => Line, {
    description: "Makes a line the agent's default line, replacing the previous default.",
  })
  setDefaultLine(@Ctx() context: RequestContext, @Input() { id }: SetDefaultLineInput): Promise<Line> {
    return this.service.setDefault(context, id);
  }
}
