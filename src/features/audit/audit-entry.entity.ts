import { Field, GraphQLISODateTime, ID, Int, ObjectType, registerEnumType } from "type-graphql";
import { Column, Entity, Index, PrimaryColumn } from "typeorm";
import type { Timestamp } from "../../common/time";

export enum AuditAction {
  organization_created = "organization_created",
  organization_deactivated = "organization_deactivated",
  organization_reactivated = "organization_reactivated",
  agent_created = "agent_created",
  member_created = "member_created",
  member_signed_in = "member_signed_in",
  member_sign_in_failed = "member_sign_in_failed",
  member_signed_out = "member_signed_out",
  member_signed_out_everywhere = "member_signed_out_everywhere",
  member_password_changed = "member_password_changed",
  member_password_change_failed = "member_password_change_failed",
  member_permissions_changed = "member_permissions_changed",
  api_key_created = "api_key_created",
  api_key_renamed = "api_key_renamed",
  api_key_rotated = "api_key_rotated",
  api_key_revoked = "api_key_revoked",
  api_key_refused = "api_key_refused",
}

registerEnumType(AuditAction, {
  name: "AuditAction",
  description: "What was done.",
  valuesConfig: {
    organization_created: { description: "An organization was created." },
    organization_deactivated: { description: "An organization was deactivated: its keys stopped resolving." },
    organization_reactivated: { description: "An organization was reactivated: its keys resolve again." },
    agent_created: { description: "An agent was created." },
    member_created: { description: "A member was added." },
    member_signed_in: { description: "A member signed in." },
    member_sign_in_failed: { description: "Somebody tried to sign in as a member with a wrong password." },
    member_signed_out: { description: "A member ended a session." },
    member_signed_out_everywhere: { description: "A member ended all of its sessions." },
    member_password_changed: {
      description: "The password of a member was changed; its other sessions ended.",
    },
    member_password_change_failed: {
      description: "A signed-in member gave a wrong current password when changing it.",
    },
    member_permissions_changed: { description: "A member was given other permissions." },
    api_key_created: { description: "An API key was minted." },
    api_key_renamed: { description: "An API key was given another name." },
    api_key_rotated: { description: "An API key was replaced by a new one." },
    api_key_revoked: { description: "An API key was revoked." },
    api_key_refused: {
      description: "A revoked, expired or unresolvable key was presented; counted per minute.",
    },
  },
});

export enum ActorKind {
  member = "member",
  agent = "agent",
  operator = "operator",
  anonymous = "anonymous",
}

registerEnumType(ActorKind, {
  name: "ActorKind",
  description: "Which kind of caller did it.",
  valuesConfig: {
    member: { description: "A signed-in member." },
    agent: { description: "A system that presented an API key." },
    operator: { description: "A person at the command line of the server, or the first start." },
    anonymous: { description: "Somebody who was not signed in." },
  },
});

@ObjectType({
  simpleResolvers: true,
  description: "One thing that was done, by whom and to what. Never holds a secret.",
})
@Entity()
@Index(["organizationId", "id"])
@Index(["organizationId", "targetId", "id"])
@Index(["organizationId", "actorId", "id"])
@Index(["organizationId", "action", "id"])
export class AuditEntry {
  @Field(() => ID, { description: "Unique identifier (UUID, ordered by time)." })
  @PrimaryColumn({ type: "varchar", length: 36 })
  id!: string;

  @Column({ type: "varchar", length: 36 })
  organizationId!: string;

  @Field(() => AuditAction, { description: "What was done." })
  @Column({ type: "varchar", length: 40 })
  action!: AuditAction;

  @Field(() => ActorKind, { description: "Which kind of caller did it." })
  @Column({ type: "varchar", length: 16 })
  actorKind!: ActorKind;

  @Field(() => ID, { nullable: true, description: "Identifier of the member or API key that did it." })
  @Column({ type: "varchar", length: 36, nullable: true })
  actorId!: string | null;

  @Field(() => String, {
    description: "Who did it, in words: an e-mail address, a key's hint, `command line`.",
  })
  @Column({ type: "varchar", length: 254 })
  actorName!: string;

  @Field(() => ID, { description: "Identifier of what it was done to." })
  @Column({ type: "varchar", length: 36 })
  targetId!: string;

  @Field(() => String, { description: "Name, at that time, of what it was done to." })
  @Column({ type: "varchar", length: 254 })
  targetName!: string;

  @Field(() => String, {
    nullable: true,
    description: "What the action leaves open, in words: which key by its hint, what changed.",
  })
  @Column({ type: "varchar", length: 254, nullable: true })
  detail!: string | null;

  @Field(() => String, { nullable: true, description: "Address that the request came from." })
  @Column({ type: "varchar", length: 45, nullable: true })
  ip!: string | null;

  @Field(() => String, { nullable: true, description: "User-Agent of the request." })
  @Column({ type: "varchar", length: 200, nullable: true })
  userAgent!: string | null;

  @Field(() => String, { nullable: true, description: "X-Request-Id of the request." })
  @Column({ type: "varchar", length: 64, nullable: true })
  requestId!: string | null;

  @Field(() => Int, { description: "How many times, for an action that is counted per minute." })
  @Column({ type: "integer" })
  count!: number;

  /** What is counted together in this entry: refused uses of a key in one minute. */
  @Column({ type: "varchar", length: 80, nullable: true, unique: true })
  countedAs!: string | null;

  @Field(() => GraphQLISODateTime, { description: "When it was done." })
  @Column({ type: "varchar", length: 24 })
  createdAt!: Timestamp;
}
