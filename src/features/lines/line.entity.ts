import { Field, GraphQLISODateTime, ID, Int, ObjectType } from "type-graphql";
import { Column, Entity, Index, ManyToOne, PrimaryColumn } from "typeorm";
import { enumOf } from "../../common/declared-enum";
import { Nullable } from "../../common/nullable";
import { type Timestamp, timestamp } from "../../common/time";
import { Uuid } from "../../common/uuid";
import { TimeColumn } from "../../schema/columns";
import { AtMost, MaxCharacters } from "../../schema/list-size";
import { Agent } from "../agents/agent.entity";
import { MAX_OPT_OUT_WORDS, OPT_OUT_REPLY_MAX_LENGTH, PAUSED_REASON_MAX_LENGTH } from "./line.limits";
import { LineEmail, type LineSettings, LineWebhook } from "./line-settings";

export const LineKind = enumOf("LineKind", "Delivery method of a line.", {
  local: "Messages stay on this server, where they can be read.",
  webhook: "Messages are signed according to Standard Webhooks and posted to a URL.",
  email: "Messages are sent as e-mail through a mail server.",
});
export type LineKind = keyof typeof LineKind;

export const LineState = enumOf("LineState", "State of a line.", {
  active: "In use.",
  paused: "The line holds its messages until it is resumed.",
  archived: "No longer in use. The line retains its name and can be resumed.",
});
export type LineState = keyof typeof LineState;

export const WhenUncertain = enumOf("WhenUncertain", "How to handle messages whose send result is unknown.", {
  retry: "Resend the message, which may deliver it twice.",
  fail: "Mark the message as failed without resending it, so it may never be delivered.",
});
export type WhenUncertain = keyof typeof WhenUncertain;

@ObjectType({ description: "An address that an agent sends messages from." })
@Entity()
@Index(["agentId", "name"], { unique: true })
@Index("line_default", ["agentId"], { unique: true, where: "is_default" })
export class Line {
  @Field(() => ID, { description: "Unique identifier (UUID)." })
  @Uuid
  @PrimaryColumn({ type: "varchar", length: 36 })
  id!: string;

  @Column({ type: "varchar", length: 36 })
  agentId!: string;

  @ManyToOne(() => Agent)
  agent?: Agent;

  @Field(() => String, { description: "Short name, unique among the agent's lines." })
  @Column({ type: "varchar", length: 63 })
  name!: string;

  @Field(() => LineKind, { description: "Delivery method of the line." })
  @Column({ type: "varchar", length: 16 })
  kind!: LineKind;

  @Nullable(() => String, "The sender address that contacts see, or null if the line does not send e-mail.")
  @Column({ type: "varchar", length: 254, nullable: true })
  address!: string | null;

  /** The settings for this kind of line, without secrets. */
  @Column({ type: "simple-json", default: "{}" })
  settings!: LineSettings;

  @Nullable(() => LineWebhook, "Delivery settings of a webhook line, or null for other kinds of lines.")
  get webhook(): LineWebhook | null {
    return this.kind === LineKind.webhook ? (this.settings as LineWebhook) : null;
  }

  @Nullable(() => LineEmail, "Delivery settings of an e-mail line, or null for other kinds of lines.")
  get email(): LineEmail | null {
    return this.kind === LineKind.email ? (this.settings as LineEmail) : null;
  }

  /** Password for the mail server, sealed with the instance key. */
  @Column({ type: "text", nullable: true, select: false })
  credentials!: string | null;

  @Field(() => Int, { description: "Number of signing secrets that the line has had." })
  @Column({ type: "integer", default: 0 })
  secretGeneration!: number;

  /** When the previous signing secret expires. */
  @Column({ type: "varchar", length: 24, nullable: true })
  previousUntil!: Timestamp | null;

  @Nullable(
    () => GraphQLISODateTime,
    "When messages stop being signed with the previous secret, or null if only the current secret is used.",
  )
  get previousSecretUntil(): Timestamp | null {
    return this.previousUntil !== null && this.previousUntil > timestamp() ? this.previousUntil : null;
  }

  @Field(() => LineState, { description: "Current state of the line." })
  @Column({ type: "varchar", length: 16 })
  state!: LineState;

  @Nullable(() => String, "Reason for the pause, or null if there is none.")
  @Column({ type: "varchar", length: PAUSED_REASON_MAX_LENGTH, nullable: true })
  pausedReason!: string | null;

  @Nullable(() => Int, "Max messages that the line sends per minute, or null for no limit.")
  @Column({ type: "integer", nullable: true })
  ratePerMinute!: number | null;

  @Field(() => Int, { description: "Max time a message may wait on the line before it expires (s)." })
  @Column({ type: "integer" })
  expireAfterSeconds!: number;

  @Field(() => WhenUncertain, {
    description: "How to handle messages whose send result is unknown.",
  })
  @Column({ type: "varchar", length: 16 })
  whenUncertain!: WhenUncertain;

  @Nullable(() => String, "Confirmation sent to a contact who opts out, or null if none is sent.")
  @MaxCharacters(OPT_OUT_REPLY_MAX_LENGTH)
  @Column({ type: "text", nullable: true })
  optOutReply!: string | null;

  @Field(() => [String], {
    description:
      "Words that opt a contact out if sent as the whole message, in addition to STOP and the other standard words.",
  })
  @AtMost(MAX_OPT_OUT_WORDS)
  @Column({ type: "simple-json", default: "[]" })
  optOutWords!: readonly string[];

  @Field(() => Boolean, { description: "True if the agent uses the line by default." })
  @Column({ type: "boolean" })
  isDefault!: boolean;

  @Field(() => Int, { description: "Version number, incremented by every change to the line." })
  @Column({ type: "integer" })
  version!: number;

  @TimeColumn("When the line was created.")
  createdAt!: Timestamp;
}
