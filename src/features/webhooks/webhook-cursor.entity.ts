import { Column, Entity, PrimaryColumn } from "typeorm";
import { UUID_COLUMN } from "../../database/columns";

/** Position of the last event whose delivery to an endpoint has been created; without a row, it is 0. */
@Entity()
export class WebhookCursor {
  @PrimaryColumn(UUID_COLUMN)
  endpointId!: string;

  @PrimaryColumn(UUID_COLUMN)
  agentId!: string;

  @Column({ type: "bigint", transformer: { from: String, to: (position: string) => position } })
  position!: string;
}
