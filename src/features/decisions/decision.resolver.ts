import { Arg, Args, Ctx, FieldResolver, ID, Mutation, Query, Resolver, Root } from "type-graphql";
import type { RequestContext } from "../../auth/context";
import { Access } from "../../schema/access";
import { AtMostInAll, MaxCharacters } from "../../schema/list-size";
import { Input } from "../../schema/mutation-input";
import { Report } from "../../schema/report";
import { ThirdPartyText } from "../../schema/third-party-text";
import { WrittenAsStored } from "../../schema/written-as-stored";
import { MAY_READ_DECISIONS } from "../agents/agent.access";
import { Agent } from "../agents/agent.entity";
import { AgentService } from "../agents/agent.service";
import { MAY_READ_CONVERSATIONS } from "../conversations/conversation.access";
import { DECIDE } from "./decision.access";
import { Decision, DecisionConnection } from "./decision.entity";
import { DecideInput, DecisionsArgs, ReplayDecisionsArgs } from "./decision.inputs";
import type { DecisionService } from "./decision.service";
import { DATA_PREVIEW_MAX_LENGTH, DecisionReason, previewOf, reasonOf } from "./decision-reason";
import { EXPLANATION_MAX, Explanation } from "./explanation";
import { exchangeOf, MODEL_EXCHANGE_MAX, ModelExchange } from "./model/model-exchange";
import { Replay, ReplayAgainst, Replays } from "./replay";
import type { ReplayService } from "./replay.service";

@Resolver(() => Decision)
export class DecisionResolver {
  constructor(
    private readonly service: DecisionService,
    private readonly replays: ReplayService,
    private readonly agents: AgentService,
  ) {}

  @Access(MAY_READ_DECISIONS)
  @Query(() => Decision, { nullable: true, description: "One decision, or null if it does not exist." })
  decision(
    @Ctx() context: RequestContext,
    @Arg("id", () => ID, { description: "ID of the decision." }) id: string,
  ): Promise<Decision | null> {
    return this.service.find(context, id);
  }

  @Access(MAY_READ_DECISIONS)
  @Query(() => DecisionConnection, {
    description: "The decisions of one agent or of all agents, newest first.",
  })
  decisions(@Ctx() context: RequestContext, @Args() args: DecisionsArgs): Promise<DecisionConnection> {
    return this.service.list(context, args);
  }

  @Access(DECIDE)
  @Mutation(() => Decision, {
    description:
      "Submits a situation to an agent, which decides according to its configuration. The effects are applied in one transaction, once per idempotency key.",
  })
  decide(@Ctx() context: RequestContext, @Input() input: DecideInput): Promise<Decision> {
    return this.service.decide(context, input);
  }

  @Access(DECIDE)
  @Query(() => Replay, {
    description:
      "Returns the decision that the agent would have made with another configuration version, the draft or a document.",
  })
  replayDecision(
    @Ctx() context: RequestContext,
    @Arg("id", () => ID, { description: "ID of the decision." }) id: string,
    @Arg("against", () => ReplayAgainst, { description: "The configuration to replay the decision with." })
    against: ReplayAgainst,
  ): Promise<Replay> {
    return this.replays.one(context, id, against);
  }

  @Access(DECIDE)
  @Report()
  @Query(() => Replays, {
    description: "Replays an agent's most recent decisions and counts how many would change.",
  })
  replayDecisions(@Ctx() context: RequestContext, @Args() args: ReplayDecisionsArgs): Promise<Replays> {
    return this.replays.many(context, args);
  }

  @Access(MAY_READ_CONVERSATIONS)
  @FieldResolver(() => ModelExchange, {
    nullable: true,
    description:
      "The model's input and answer, or null if no model was consulted or the contact was erased. A dry run returns only the input that the model would receive. API keys need the `conversations:read` scope.",
  })
  @AtMostInAll(MODEL_EXCHANGE_MAX)
  modelExchange(@Root() decision: Decision): ModelExchange | null {
    return exchangeOf(decision);
  }

  @AtMostInAll(EXPLANATION_MAX)
  @WrittenAsStored()
  @FieldResolver(() => Explanation, {
    nullable: true,
    description:
      "Explanation of the decision. Null until the decision is made, and after its contact is erased.",
  })
  explanation(@Root() { explanation }: Decision): Explanation | null {
    return explanation?.value ?? null;
  }

  @FieldResolver(() => DecisionReason, {
    nullable: true,
    description:
      "Main reason for the decision. Null until the decision is made, after its contact is erased, or if there is no reason.",
  })
  reason(@Root() decision: Decision): DecisionReason | null {
    return reasonOf(decision);
  }

  @MaxCharacters(DATA_PREVIEW_MAX_LENGTH)
  @ThirdPartyText()
  @FieldResolver(() => String, {
    description: `The first members of the situation's data on one line, such as \`orderId B2, total 90\`, or the number of received messages, at most ${DATA_PREVIEW_MAX_LENGTH} characters.`,
  })
  dataPreview(@Root() { situation }: Decision): string {
    return previewOf(situation);
  }

  @FieldResolver(() => Agent, { description: "The agent that made the decision." })
  agent(@Root() decision: Decision): Promise<Agent> {
    return this.agents.of(decision);
  }
}
