import { Column, Entity, PrimaryColumn } from "typeorm";
import type { Timestamp } from "../common/time";
import { TIMESTAMP_COLUMN, UUID_COLUMN } from "../database/columns";

/** A lease on work that only one process may perform at a time. */
@Entity()
export class Lease {
  @PrimaryColumn({ type: "varchar", length: 40 })
  name!: string;

  /** Identifies the run that holds the lease; each run has a new ID. */
  @Column(UUID_COLUMN)
  holder!: string;

  /** When another process may take over from a holder that was killed or hangs. */
  @Column(TIMESTAMP_COLUMN)
  heldUntil!: Timestamp;
}
