import { Field, Int, ObjectType } from "type-graphql";
import { Column, Entity, ManyToOne, PrimaryColumn } from "typeorm";
import type { Timestamp } from "../../common/time";
import { UUID_COLUMN } from "../../database/columns";
import { TimeColumn } from "../../schema/columns";
import { GraphQLJsonObject } from "../../schema/json-object";
import { MaxCharacters } from "../../schema/list-size";
import { Agent } from "../agents/agent.entity";
import { TESTED_DOCUMENT_MAX_BYTES } from "./configuration.limits";

@ObjectType({
  description:
    "An agent's next configuration, as edited by members. A draft may have problems, which must be fixed before it is published.",
})
@Entity()
export class ConfigurationDraft {
  @PrimaryColumn(UUID_COLUMN)
  agentId!: string;

  @ManyToOne(() => Agent)
  agent?: Agent;

  @Field(() => GraphQLJsonObject, { description: "The document, valid or not." })
  @MaxCharacters(TESTED_DOCUMENT_MAX_BYTES)
  @Column({ type: "simple-json" })
  document!: Record<string, unknown>;

  @Field(() => Int, { description: "Number of times the draft has been saved." })
  @Column({ type: "integer" })
  revision!: number;

  @Field(() => Int, { description: "The version that was live when the draft was first saved." })
  @Column({ type: "integer" })
  basedOn!: number;

  @TimeColumn("When the draft was last saved.")
  updatedAt!: Timestamp;

  @Field(() => String, {
    description:
      "Caller who last saved the draft: a member's e-mail address, an organization key's hint or `command line`.",
  })
  @Column({ type: "varchar", length: 254 })
  updatedBy!: string;
}
