import { Field, ID, ObjectType } from "type-graphql";
import { Column, Entity, Index, ManyToOne, PrimaryColumn } from "typeorm";
import type { Timestamp } from "../../common/time";
import { Uuid } from "../../common/uuid";
import { Organization } from "../organizations/organization.entity";

@ObjectType({
  simpleResolvers: true,
  description: "An automated messaging agent. Each API key resolves to exactly one.",
})
@Entity()
export class Agent {
  @Field(() => ID, { description: "Unique identifier (UUID)." })
  @Uuid
  @PrimaryColumn({ type: "varchar", length: 36 })
  id!: string;

  @Index()
  @Column({ type: "varchar", length: 36 })
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

  @Column({ type: "varchar", length: 24 })
  createdAt!: Timestamp;
}
