import { Column, Entity, ManyToOne, PrimaryColumn } from "typeorm";
import type { Timestamp } from "../../common/time";
import { TIMESTAMP_COLUMN, UUID_COLUMN } from "../../database/columns";
import { Agent } from "../agents/agent.entity";
import { NOTE_MAX_LENGTH } from "./configuration.limits";
import type { ConfigurationDocument } from "./document/format";

/** A published configuration of an agent. It never changes; the one with the highest number is live. */
@Entity()
export class ConfigurationVersion {
  @PrimaryColumn(UUID_COLUMN)
  agentId!: string;

  @ManyToOne(() => Agent)
  agent?: Agent;

  @PrimaryColumn({ type: "integer" })
  version!: number;

  @Column({ type: "simple-json" })
  document!: ConfigurationDocument;

  /** SHA-256 of the document in the canonical form of RFC 8785, in hexadecimal. */
  @Column({ type: "varchar", length: 64 })
  digest!: string;

  @Column({ type: "varchar", length: NOTE_MAX_LENGTH, nullable: true })
  note!: string | null;

  /** The version that it repeats, after a rollback. */
  @Column({ type: "integer", nullable: true })
  restoredFrom!: number | null;

  @Column(TIMESTAMP_COLUMN)
  publishedAt!: Timestamp;

  /** Name of the caller: an e-mail address or `command line`. */
  @Column({ type: "varchar", length: 254 })
  publishedBy!: string;
}
