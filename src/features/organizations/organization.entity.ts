import { Field, ID, ObjectType } from "type-graphql";
import { Column, Entity, PrimaryColumn } from "typeorm";
import type { Timestamp } from "../../common/time";
import { Uuid } from "../../common/uuid";
import { UUID_COLUMN } from "../../database/columns";
import { NullableTime, TimeColumn } from "../../schema/columns";

@ObjectType({ description: "A customer that owns agents, members, API keys and an audit log." })
@Entity()
export class Organization {
  @Field(() => ID, { description: "Unique identifier (UUID)." })
  @Uuid
  @PrimaryColumn(UUID_COLUMN)
  id!: string;

  @Field(() => String, {
    description: "Short name for the command line and logs, unique across the service.",
  })
  @Column({ type: "varchar", length: 63, unique: true })
  slug!: string;

  @Field(() => String, { description: "Display name." })
  @Column({ type: "varchar", length: 200 })
  name!: string;

  @NullableTime("When the organization was deactivated, or null while it is active.")
  deactivatedAt!: Timestamp | null;

  @TimeColumn("When the organization was created.")
  createdAt!: Timestamp;
}
