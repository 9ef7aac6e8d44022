import { Field, GraphQLISODateTime, ID, ObjectType } from "type-graphql";
import { Column, DeleteDateColumn, Entity, Index, ManyToOne, PrimaryColumn } from "typeorm";
import { Nullable } from "../../common/nullable";
import type { Timestamp } from "../../common/time";
import { Uuid } from "../../common/uuid";
import { TIMESTAMP_COLUMN, UUID_COLUMN } from "../../database/columns";
import { Organization } from "../organizations/organization.entity";

@ObjectType({
  description: "An automated messaging agent. Each of its API keys resolves only to this agent.",
})
@Entity()
export class Agent {
  @Field(() => ID, { description: "Unique identifier (UUID)." })
  @Uuid
  @PrimaryColumn(UUID_COLUMN)
  id!: string;

  @Index()
  @Column(UUID_COLUMN)
  organizationId!: string;

  @ManyToOne(() => Organization)
  organization?: Organization;

  @Field(() => String, {
    description: "Short name for the command line and logs, unique across the service.",
  })
  @Column({ type: "varchar", length: 63, unique: true })
  slug!: string;

  @Field(() => String, { description: "Display name." })
  @Column({ type: "varchar", length: 200 })
  name!: string;

  @Column(TIMESTAMP_COLUMN)
  createdAt!: Timestamp;

  /** The live configuration's version number; null unless the configuration has a message policy. */
  @Column({ type: "integer", nullable: true })
  policyVersion!: number | null;

  /** TypeORM omits deleted agents from every query and join that does not use `withDeleted`; raw SQL includes them. */
  @Nullable(
    () => GraphQLISODateTime,
    "When the agent was deleted. A deleted agent is visible only through its revoked and expired keys.",
  )
  @DeleteDateColumn({ ...TIMESTAMP_COLUMN, nullable: true })
  deletedAt!: Timestamp | null;

  /** When the purge confirmed that the deleted agent has no rows left. */
  @Column({ ...TIMESTAMP_COLUMN, nullable: true })
  purgedAt!: Timestamp | null;
}
