import { Arg, Args, Ctx, FieldResolver, ID, Query, Resolver, Root } from "type-graphql";
import type { RequestContext } from "../../auth/context";
import { findIfAny } from "../../common/coalesce";
import { Access } from "../../schema/access";
import { AtMost, MaxCharacters } from "../../schema/list-size";
import { ThirdPartyText } from "../../schema/third-party-text";
import { MAY_READ_LINES } from "../agents/agent.access";
import { Agent } from "../agents/agent.entity";
import { AgentService } from "../agents/agent.service";
import { Line } from "../lines/line.entity";
import { LineService } from "../lines/line.service";
import { DeliveryAttempt, SHOWN_ATTEMPTS } from "./delivery-attempt.entity";
import { MAY_READ_MESSAGES } from "./message.access";
import { Message } from "./message.entity";
import { HeldReason } from "./message.enums";
import { MessageConnection, MessagesArgs } from "./message.inputs";
import { MessageService } from "./message.service";
import { gatesOf, MessageGate } from "./message-gate";

/** Max length of a preview (code points). */
const PREVIEW_LENGTH = 100;

@Resolver(() => Message)
export class MessageResolver {
  constructor(
    private readonly service: MessageService,
    private readonly agents: AgentService,
    private readonly lines: LineService,
  ) {}

  @Access(MAY_READ_MESSAGES)
  @Query(() => MessageConnection, { description: "The messages of one agent or of all agents." })
  messages(@Ctx() context: RequestContext, @Args() args: MessagesArgs) {
    return this.service.list(context, args);
  }

  @Access(MAY_READ_MESSAGES)
  @Query(() => Message, {
    nullable: true,
    description: "One message, or null if it does not exist.",
  })
  message(
    @Ctx() context: RequestContext,
    @Arg("id", () => ID, { description: "ID of the message." }) id: string,
  ): Promise<Message | null> {
    return this.service.find(context, id);
  }

  @MaxCharacters(PREVIEW_LENGTH + 1)
  @ThirdPartyText()
  @FieldResolver(() => String, {
    description: `The first ${PREVIEW_LENGTH} characters of the message on one line, with an ellipsis if there are more.`,
  })
  preview(@Root() { text }: Message) {
    const characters = [...text.replace(/\s+/g, " ").trim()];
    if (characters.length <= PREVIEW_LENGTH) return characters.join("");
    return `${characters.slice(0, PREVIEW_LENGTH).join("")}…`;
  }

  @AtMost(SHOWN_ATTEMPTS)
  @FieldResolver(() => [DeliveryAttempt], {
    description:
      "The last 20 attempts to send the message, oldest first. The server deletes attempts after `RETENTION_ATTEMPTS_DAYS`.",
  })
  async deliveryAttempts(@Root() message: Message) {
    return (await this.service.attemptsOf(message.id)) ?? [];
  }

  @FieldResolver(() => HeldReason, {
    nullable: true,
    description: "Reason why the message is waiting, or null if nothing holds it back.",
  })
  heldReason(@Root() message: Message) {
    const { heldReason } = message;
    if (heldReason !== null || !this.service.mayWait(message)) return heldReason;
    return this.service.inFrontOf(message).then((front) => (front === null ? null : HeldReason.behind));
  }

  @AtMost(1)
  @FieldResolver(() => [MessageGate], {
    description:
      "The conditions that currently prevent the message from being sent. Empty if there are none.",
  })
  async gates(@Root() message: Message) {
    return gatesOf({ ...message, heldReason: await this.heldReason(message) });
  }

  @FieldResolver(() => ID, {
    nullable: true,
    description:
      "ID of the unsent message directly ahead of this message in the conversation, which must be sent or fail first. Null if there is none, or if this message is not queued.",
  })
  waitsFor(@Root() message: Message) {
    return this.service.inFrontOf(message);
  }

  @FieldResolver(() => Agent, { description: "The message's agent." })
  agent(@Root() message: Message) {
    return this.agents.of(message);
  }

  @FieldResolver(() => String, {
    nullable: true,
    description:
      "Name of the line that last sent or received the message. For a message that has not been sent, name of the line that it is waiting on. Null if there is none.",
  })
  async lineName(@Root() { id }: Message) {
    return (await this.service.lineNameOf(id))?.name ?? null;
  }

  @Access(MAY_READ_LINES)
  @FieldResolver(() => Line, {
    nullable: true,
    description:
      "The line that last sent or received the message, or null if there is none. API keys need the `agent:read` scope.",
  })
  line(@Root() { lineId }: Message) {
    return findIfAny(this.lines.byId, lineId);
  }
}
