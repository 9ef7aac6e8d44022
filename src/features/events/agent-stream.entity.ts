import { Column, Entity, PrimaryColumn } from "typeorm";
import { UUID_COLUMN } from "../../database/columns";

/** The last event position of an agent. */
@Entity()
export class AgentStream {
  @PrimaryColumn(UUID_COLUMN)
  agentId!: string;

  @Column({ type: "bigint" })
  last!: string;
}
