import { Field, Int, ObjectType } from "type-graphql";
import { Column, Entity, Index, ManyToOne, PrimaryColumn } from "typeorm";
import { Nullable } from "../../common/nullable";
import type { Timestamp } from "../../common/time";
import { AttemptOutcome } from "../../delivery/driver";
import { NullableId, NullableTime, TimeColumn } from "../../schema/columns";
import { MaxCharacters } from "../../schema/list-size";
import { ThirdPartyText } from "../../schema/third-party-text";
import { ERROR_TEXT_MAX_LENGTH, Message } from "./message.entity";

/** Max attempts shown per message; older ones are omitted. */
export const SHOWN_ATTEMPTS = 20;

@ObjectType({ description: "An attempt to send a message." })
@Entity()
@Index(["startedAt"])
export class DeliveryAttempt {
  @PrimaryColumn({ type: "varchar", length: 36 })
  messageId!: string;

  @ManyToOne(() => Message)
  message?: Message;

  @Field(() => Int, { description: "Attempt number, starting at 1." })
  @PrimaryColumn({ type: "integer" })
  number!: number;

  @NullableId("ID of the line.")
  lineId!: string | null;

  @TimeColumn("When the attempt started.")
  startedAt!: Timestamp;

  @NullableTime("When the attempt ended, or null while it is in progress.")
  endedAt!: Timestamp | null;

  @Nullable(() => AttemptOutcome, "Outcome of the attempt, or null while it is in progress.")
  @Column({ type: "varchar", length: 16, nullable: true })
  outcome!: AttemptOutcome | null;

  @Nullable(
    () => String,
    "Machine-readable error code, such as `timeout` or, for an HTTP status, `http_503`.",
  )
  @Column({ type: "varchar", length: 64, nullable: true })
  code!: string | null;

  @ThirdPartyText()
  @Nullable(() => String, "Human-readable error message.")
  @MaxCharacters(ERROR_TEXT_MAX_LENGTH)
  @Column({ type: "varchar", length: 500, nullable: true })
  detail!: string | null;
}
