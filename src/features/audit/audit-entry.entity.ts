import { Field, ID, Int, ObjectType } from "type-graphql";
import { Column, Entity, Index, PrimaryColumn } from "typeorm";
import { enumOf } from "../../common/declared-enum";
import { Nullable } from "../../common/nullable";
import type { Timestamp } from "../../common/time";
import { UUID_COLUMN } from "../../database/columns";
import { NullableId, TimeColumn } from "../../schema/columns";
import { AtMost } from "../../schema/list-size";
import { ThirdPartyText } from "../../schema/third-party-text";
import { AuditAction } from "./audit-actions";
import { AuditChange, MAX_CHANGES } from "./audit-change";

export const ActorKind = enumOf("ActorKind", "The kind of caller that performed the action.", {
  member: "A signed-in member.",
  agent: "A client that presented an agent's API key.",
  organization_key: "A client that presented an organization key.",
  operator: "The server's command line or its first-start setup.",
  system: "The gateway, for example when it pauses a line.",
  anonymous: "A caller who was not signed in.",
});
export type ActorKind = keyof typeof ActorKind;

@ObjectType({
  description: "A recorded action with its caller and the affected resource. Entries never contain secrets.",
})
@Entity()
@Index(["organizationId", "id"])
@Index(["organizationId", "targetId", "id"])
@Index(["organizationId", "actorId", "id"])
@Index(["organizationId", "action", "id"])
export class AuditEntry {
  @Field(() => ID, { description: "Unique identifier (UUID, ordered by time)." })
  @PrimaryColumn(UUID_COLUMN)
  id!: string;

  @Column(UUID_COLUMN)
  organizationId!: string;

  @Field(() => AuditAction, { description: "The action." })
  @Column({ type: "varchar", length: 40 })
  action!: AuditAction;

  @Field(() => ActorKind, { description: "The kind of caller that performed the action." })
  @Column({ type: "varchar", length: 16 })
  actorKind!: ActorKind;

  @NullableId("ID of the member or API key that performed the action.")
  actorId!: string | null;

  @Field(() => String, {
    description: "Name of the caller: an e-mail address, a key's hint or `command line`.",
  })
  @Column({ type: "varchar", length: 254 })
  actorName!: string;

  @Field(() => ID, { description: "ID of the affected resource." })
  @Column(UUID_COLUMN)
  targetId!: string;

  @Field(() => String, { description: "Name of the affected resource at the time of the action." })
  @Column({ type: "varchar", length: 254 })
  targetName!: string;

  @Nullable(
    () => String,
    "Hint that distinguishes the affected API key from keys with the same name, or null for other resources.",
  )
  @Column({ type: "varchar", length: 40, nullable: true })
  targetHint!: string | null;

  @Field(() => [AuditChange], {
    description:
      "The fields that the action changed, or an empty list if the action itself describes the change.",
  })
  @AtMost(MAX_CHANGES)
  @Column({ type: "simple-json", default: "[]" })
  changes!: AuditChange[];

  @Nullable(() => String, "The changes as text, set only in entries created before `changes` was introduced.")
  @Column({ type: "varchar", length: 254, nullable: true })
  detail!: string | null;

  @Nullable(() => String, "IP address of the client that sent the request.")
  @Column({ type: "varchar", length: 45, nullable: true })
  ip!: string | null;

  @ThirdPartyText()
  @Nullable(() => String, "User-Agent of the request.")
  @Column({ type: "varchar", length: 200, nullable: true })
  userAgent!: string | null;

  @Nullable(() => String, "X-Request-Id of the request.")
  @Column({ type: "varchar", length: 64, nullable: true })
  requestId!: string | null;

  @Field(() => Int, {
    description:
      "Number of occurrences within a minute if the action is counted per minute, or 1 for other actions.",
  })
  @Column({ type: "integer" })
  count!: number;

  /** Identifies the counted action, such as a key's rejected uses in one minute. */
  @Column({ type: "varchar", length: 80, nullable: true, unique: true })
  countedAs!: string | null;

  @TimeColumn("When the action was performed.")
  createdAt!: Timestamp;
}
