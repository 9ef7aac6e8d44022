import { Field, GraphQLISODateTime, ID, Int, ObjectType } from "type-graphql";
import { Column, Entity, Index, ManyToOne, PrimaryColumn, VirtualColumn } from "typeorm";
import { keyStateOf } from "../../auth/key-ends";
import { KeyScope } from "../../auth/permissions";
import { enumOf } from "../../common/declared-enum";
import { JsonSchema } from "../../common/json-schema";
import { Nullable } from "../../common/nullable";
import type { Timestamp } from "../../common/time";
import { TIMESTAMP_COLUMN, UUID_COLUMN } from "../../database/columns";
import { NullableId, NullableTime, TimeColumn } from "../../schema/columns";
import { AtMost, MaxCharacters } from "../../schema/list-size";
import { Agent } from "../agents/agent.entity";
import { Organization } from "../organizations/organization.entity";
import { CLIENT_ID_MAX_LENGTH, KEY_DESCRIPTION_MAX_LENGTH, MAX_NETWORKS, MAX_SCOPES } from "./api-key.limits";

/** Max length of a network in CIDR notation: an IPv6 address and its prefix length. */
const CIDR_MAX_LENGTH = 43;

/** Returns a column for a key's last accepted use, from the latest hourly row or, if none is left, the key's row. */
const ofLastUse = (property: "at" | "ip") => ({
  type: "varchar" as const,
  // The alias must differ from `last_used_at` and `last_used_ip`, the key's own columns for deleted hours.
  name: `latest_used_${property}`,
  query: (key: string) =>
    `COALESCE((SELECT used.last_used_${property} FROM hourly_use AS used
      WHERE used.key_id = ${key}.id AND used.last_used_at IS NOT NULL ORDER BY used.hour DESC LIMIT 1),
      ${key}.last_used_${property})`,
});

export const ApiKeyKind = enumOf("ApiKeyKind", "Kind of API key.", {
  agent: "A key that resolves to one agent.",
  organization: "A key for managing the organization.",
});
export type ApiKeyKind = keyof typeof ApiKeyKind;

export const ApiKeyState = enumOf("ApiKeyState", "State of an API key.", {
  active: "Accepted while the organization is active.",
  revoked: "Permanently rejected with 403.",
  expired: "Past its expiry and rejected with 401.",
});
export type ApiKeyState = keyof typeof ApiKeyState;

@ObjectType({
  description:
    "A credential for one agent or, as an organization key, for managing the organization. Its secret is shown only once.",
})
@Entity()
@Index(["organizationId", "id"])
@Index(["agentId", "id"])
// NULLs are distinct in a unique index, so keys without a reserved name do not conflict.
@Index(["agentId", "reservedName"], { unique: true })
@Index("organization_key_name", ["organizationId", "reservedName"], {
  unique: true,
  where: "agent_id IS NULL AND held_name IS NOT NULL",
})
export class ApiKey {
  @Field(() => ID, { description: "Unique identifier (UUID, ordered by creation time)." })
  @PrimaryColumn(UUID_COLUMN)
  id!: string;

  @Column(UUID_COLUMN)
  organizationId!: string;

  @ManyToOne(() => Organization, { createForeignKeyConstraints: false })
  organization?: Organization;

  /** ID of the key's agent; null for an organization key. */
  @Column({ ...UUID_COLUMN, nullable: true })
  agentId!: string | null;

  @ManyToOne(() => Agent)
  agent?: Agent | null;

  @Field(() => String, {
    description: "Name chosen by the creator, such as the place where the key is used.",
  })
  @Column({ type: "varchar", length: 100 })
  name!: string;

  /** The normalized name (`reservedNameOf`) reserved among the owner's active keys; null if the key reserves none. */
  @Column({ name: "held_name", type: "varchar", length: 100, nullable: true })
  reservedName!: string | null;

  /** Text for `search`, built by `searchTextOf`; not selected by default because responses do not need it. */
  @Column({ type: "text", select: false })
  searchText!: string;

  @Field(() => String, {
    description:
      "The public part of the key: `agk_<env>_<publicId>`, or `ago_<env>_<publicId>` for an organization key.",
  })
  @Column({ type: "varchar", length: 40, unique: true })
  hint!: string;

  /** SHA-256 of the whole key in hexadecimal; random secrets do not need a slow hash. */
  @Column({ type: "varchar", length: 64, unique: true })
  hash!: string;

  @TimeColumn("When the key was minted.")
  createdAt!: Timestamp;

  @Nullable(
    () => String,
    "The key's creator: a member's e-mail address, an organization key's hint or `command line`.",
  )
  @Column({ type: "varchar", length: 254, nullable: true })
  createdBy!: string | null;

  @NullableTime("When the key expires, or null if it never does.")
  expiresAt!: Timestamp | null;

  /** The key's expiry when it was minted; a rotation's grace period shortens only `expiresAt`. */
  @Column({ ...TIMESTAMP_COLUMN, nullable: true })
  originalExpiresAt!: Timestamp | null;

  @NullableTime("When the key was revoked.")
  revokedAt!: Timestamp | null;

  @NullableTime("When the key was revoked because it was reported as leaked.")
  leakedAt!: Timestamp | null;

  @NullableId("ID of the key that replaced this one in a rotation.")
  replacedById!: string | null;

  @Nullable(() => GraphQLISODateTime, "When the key was last accepted, accurate to about a minute.")
  @VirtualColumn(ofLastUse("at"))
  lastUsedAt!: Timestamp | null;

  @Nullable(() => String, "IP address of the last accepted request.")
  @VirtualColumn(ofLastUse("ip"))
  lastUsedIp!: string | null;

  /** The last accepted use whose hourly row is deleted. Never selected, because `lastUsedAt` includes it. */
  @Column({ ...TIMESTAMP_COLUMN, name: "last_used_at", nullable: true, select: false })
  earlierUsedAt!: Timestamp | null;

  @Column({ name: "last_used_ip", type: "varchar", length: 45, nullable: true, select: false })
  earlierUsedIp!: string | null;

  @Nullable(
    () => [KeyScope],
    "The key's scopes, or null for all agent-key scopes, including any added by later versions.",
  )
  @JsonSchema({ maxItems: MAX_SCOPES })
  @Column({ type: "simple-array", nullable: true })
  scopes!: KeyScope[] | null;

  @Nullable(() => String, "Purpose of the key, as described by a manager.")
  @MaxCharacters(KEY_DESCRIPTION_MAX_LENGTH)
  @Column({ type: "varchar", length: KEY_DESCRIPTION_MAX_LENGTH, nullable: true })
  description!: string | null;

  @Nullable(
    () => Int,
    "Max requests per minute for this key on each server, across all of its workers. Null if the server's limit applies.",
  )
  @Column({ type: "integer", nullable: true })
  rateLimitPerMinute!: number | null;

  @AtMost(MAX_NETWORKS)
  @MaxCharacters(CIDR_MAX_LENGTH)
  @Nullable(
    () => [String],
    "Networks that may use the key, in CIDR notation, or null for any network. Requests from other networks are rejected with 403.",
  )
  @Column({ type: "simple-array", nullable: true })
  allowedNetworks!: string[] | null;

  @Nullable(
    () => String,
    "Application that uses the key through OAuth, identified by the URL of its metadata document or by its registered ID. Null for a key with a secret.",
  )
  @MaxCharacters(CLIENT_ID_MAX_LENGTH)
  @Column({ type: "varchar", length: CLIENT_ID_MAX_LENGTH, nullable: true })
  clientId!: string | null;

  /** The member who connected the application; removing the member revokes the key. */
  @Index("api_key_member", { where: "member_id IS NOT NULL" })
  @Column({ ...UUID_COLUMN, nullable: true })
  memberId!: string | null;

  @Field(() => ApiKeyState, { description: "Current state of the key." })
  get state(): ApiKeyState {
    return keyStateOf(this);
  }
}
