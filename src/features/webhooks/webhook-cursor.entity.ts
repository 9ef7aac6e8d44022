import { Column, Entity, PrimaryColumn } from "typeorm";
import { UUID_COLUMN } from "../../database/columns";

/** Position up to which an agent's events have been dispatched to an endpoint; 0 without a row. */
@Entity()
export class WebhookCursor {
  @PrimaryColumn(UUID_COLUMN)
  endpointId!: string;

  @PrimaryColumn(UUID_COLUMN)
  agentId!: string;

  @Column({ type: "bigint", transformer: { from: String, to: (position: string) => position } })
  position!: string;
}
