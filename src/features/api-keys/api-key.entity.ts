import { Field, GraphQLISODateTime, ID, ObjectType, registerEnumType } from "type-graphql";
import { Column, Entity, Index, ManyToOne, PrimaryColumn } from "typeorm";
import { Scope } from "../../auth/permissions";
import { type Timestamp, timestamp } from "../../common/time";
import { GatewayError } from "../../errors";
import { Agent } from "../agents/agent.entity";

export enum ApiKeyState {
  active = "active",
  revoked = "revoked",
  expired = "expired",
}

registerEnumType(ApiKeyState, {
  name: "ApiKeyState",
  description: "Whether an API key is accepted.",
  valuesConfig: {
    active: { description: "Accepted, as long as the organization is active." },
    revoked: { description: "Refused with 403 for ever." },
    expired: { description: "Past its end, refused with 401." },
  },
});

@ObjectType({
  simpleResolvers: true,
  description: "A credential that resolves to one agent. Its secret is shown once and never again.",
})
@Entity()
@Index(["organizationId", "id"])
@Index(["agentId", "id"])
// NULLs never collide, so only a key that holds its name keeps others from taking it.
@Index(["agentId", "reservedName"], { unique: true })
export class ApiKey {
  @Field(() => ID, { description: "Unique identifier (UUID, ordered by time of creation)." })
  @PrimaryColumn({ type: "varchar", length: 36 })
  id!: string;

  @Column({ type: "varchar", length: 36 })
  organizationId!: string;

  @Column({ type: "varchar", length: 36 })
  agentId!: string;

  @ManyToOne(() => Agent)
  agent?: Agent;

  @Field(() => String, { description: "Name chosen by the creator, to say where the key is used." })
  @Column({ type: "varchar", length: 100 })
  name!: string;

  /** The name as `heldNameOf` compares it while this key is the one that holds it among its agent's active keys, else null. */
  @Column({ name: "held_name", type: "varchar", length: 100, nullable: true })
  reservedName!: string | null;

  /** What `search` looks in, made by `searchTextOf`; no answer needs it. */
  @Column({ type: "text", select: false })
  searchText!: string;

  @Field(() => String, { description: "The part of the key that may be shown: `agk_<env>_<publicId>`." })
  @Column({ type: "varchar", length: 40, unique: true })
  hint!: string;

  /** SHA-256 of the whole key, hexadecimal. The secret is random, so nothing slower is needed. */
  @Column({ type: "varchar", length: 64, unique: true })
  hash!: string;

  @Field(() => GraphQLISODateTime, { description: "When the key was minted." })
  @Column({ type: "varchar", length: 24 })
  createdAt!: Timestamp;

  @Field(() => String, {
    nullable: true,
    description: "Who minted it: a member's e-mail address or the command line.",
  })
  @Column({ type: "varchar", length: 254, nullable: true })
  createdBy!: string | null;

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: "When the key ends by itself; null for never.",
  })
  @Column({ type: "varchar", length: 24, nullable: true })
  expiresAt!: Timestamp | null;

  @Field(() => GraphQLISODateTime, { nullable: true, description: "When the key was revoked." })
  @Column({ type: "varchar", length: 24, nullable: true })
  revokedAt!: Timestamp | null;

  @Field(() => ID, { nullable: true, description: "The key that replaced this one by rotation." })
  @Column({ type: "varchar", length: 36, nullable: true })
  replacedById!: string | null;

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: "Last accepted use, exact to about a minute.",
  })
  @Column({ type: "varchar", length: 24, nullable: true })
  lastUsedAt!: Timestamp | null;

  @Field(() => String, { nullable: true, description: "Address of that use." })
  @Column({ type: "varchar", length: 45, nullable: true })
  lastUsedIp!: string | null;

  @Field(() => [Scope], {
    nullable: true,
    description: "What the key may be used for; null for everything, also what later versions add.",
  })
  @Column({ type: "simple-array", nullable: true })
  scopes!: Scope[] | null;

  @Field(() => ApiKeyState, { description: "Whether the key is accepted now." })
  get state(): ApiKeyState {
    return stateOf(this);
  }
}

/** What ends a key. */
export type KeyEnds = Pick<ApiKey, "revokedAt" | "expiresAt">;

/** Whether a key is accepted at this moment, its organization aside. */
function stateOf({ revokedAt, expiresAt }: KeyEnds): ApiKeyState {
  if (revokedAt !== null) return ApiKeyState.revoked;
  return expiresAt !== null && expiresAt <= timestamp() ? ApiKeyState.expired : ApiKeyState.active;
}

/** Why a key that exists is refused, or undefined. What cannot be undone is told first. */
export function refusalOf(
  key: KeyEnds,
  organizationDeactivatedAt: Timestamp | null,
): GatewayError | undefined {
  const state = stateOf(key);
  if (state === ApiKeyState.revoked) return new GatewayError("key_revoked");
  if (organizationDeactivatedAt !== null) return new GatewayError("key_not_resolvable");
  if (state === ApiKeyState.expired) return new GatewayError("key_expired");
  return undefined;
}
