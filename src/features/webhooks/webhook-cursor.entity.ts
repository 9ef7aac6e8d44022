import { Column, Entity, PrimaryColumn } from "typeorm";
import { UUID_COLUMN } from "../../database/columns";
/** The position in an agent's events up to which an endpoint's deliveries have been created; 0 if there is no row. */
@Entity()
export class WebhookCursor {
  @PrimaryColumn(UUID_COLUMN)
  endpointId!: string;

  @PrimaryColumn(UUID_COLUMN)
  agentId!: string;

  @Column({ type: "bigint", transformer: { from: String, to: (position: string) => position } })
  position!: string;
}
