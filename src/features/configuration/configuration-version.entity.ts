import { Field, Int, ObjectType } from "type-graphql";
import { Column, Entity, ManyToOne, PrimaryColumn } from "typeorm";
import { Nullable } from "../../common/nullable";
import type { Timestamp } from "../../common/time";
import { UUID_COLUMN } from "../../database/columns";
import { TimeColumn } from "../../schema/columns";
import { MaxCharacters } from "../../schema/list-size";
import { Agent } from "../agents/agent.entity";
import { NOTE_MAX_LENGTH } from "./configuration.limits";
import type { ConfigurationDocument } from "./document/format";

@ObjectType({
  description:
    "A published version of an agent's configuration. Versions are immutable, and the highest-numbered version is live.",
})
@Entity()
export class ConfigurationVersion {
  @PrimaryColumn(UUID_COLUMN)
  agentId!: string;

  @ManyToOne(() => Agent)
  agent?: Agent;

  @Field(() => Int, { description: "Version number, starting at 1." })
  @PrimaryColumn({ type: "integer" })
  version!: number;

  @Column({ type: "simple-json" })
  document!: ConfigurationDocument;

  @Field(() => String, {
    description: "SHA-256 of the document's canonical form (RFC 8785), in hexadecimal.",
  })
  @Column({ type: "varchar", length: 64 })
  digest!: string;

  @Nullable(() => String, "The publisher's note about the changes.")
  @MaxCharacters(NOTE_MAX_LENGTH)
  @Column({ type: "varchar", length: NOTE_MAX_LENGTH, nullable: true })
  note!: string | null;

  @Nullable(() => Int, "For a rollback, the earlier version that this version restores.")
  @Column({ type: "integer", nullable: true })
  restoredFrom!: number | null;

  @TimeColumn("When the version was published.")
  publishedAt!: Timestamp;

  @Field(() => String, {
    description:
      "Caller who published the version: a member's e-mail address, an organization key's hint, `command line`, or `gateway` for an upgrade.",
  })
  @Column({ type: "varchar", length: 254 })
  publishedBy!: string;

  /** The version number as text, for cursors. */
  get id(): string {
    return String(this.version);
  }
}
