import { Column, Entity, ManyToOne, PrimaryColumn } from "typeorm";
import type { Timestamp } from "../../common/time";
import { TIMESTAMP_COLUMN, UUID_COLUMN } from "../../database/columns";
import { Agent } from "../agents/agent.entity";

/** The next configuration of an agent while members work on it. It may have problems until it is published. */
@Entity()
export class ConfigurationDraft {
  @PrimaryColumn(UUID_COLUMN)
  agentId!: string;

  @ManyToOne(() => Agent)
  agent?: Agent;

  @Column({ type: "simple-json" })
  document!: Record<string, unknown>;

  /** How often it has been saved. */
  @Column({ type: "integer" })
  revision!: number;

  /** The version that was live when it was first saved. */
  @Column({ type: "integer" })
  basedOn!: number;

  @Column(TIMESTAMP_COLUMN)
  updatedAt!: Timestamp;

  /** Name of the caller: an e-mail address or `command line`. */
  @Column({ type: "varchar", length: 254 })
  updatedBy!: string;
}
