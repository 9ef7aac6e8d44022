import { Column, Entity, PrimaryColumn } from "typeorm";
import { UUID_COLUMN } from "../../database/columns";

/** Position of an agent's last event. */
@Entity()
export class AgentStream {
  @PrimaryColumn(UUID_COLUMN)
  agentId!: string;

  @Column({ type: "bigint" })
  last!: string;
}
