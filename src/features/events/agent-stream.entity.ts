import { Column, Entity, PrimaryColumn } from "typeorm";
import { UUID_COLUMN } from "../../database/columns";

/** An agent's last event position. */
@Entity()
export class AgentStream {
  @PrimaryColumn(UUID_COLUMN)
  agentId!: string;

  @Column({ type: "bigint" })
  last!: string;
}
