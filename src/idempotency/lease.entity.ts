import { Column, Entity, PrimaryColumn } from "typeorm";
import type { Timestamp } from "../common/time";
import { TIMESTAMP_COLUMN, UUID_COLUMN } from "../database/columns";

/** Work that one process at a time may do. */
@Entity()
export class Lease {
  @PrimaryColumn({ type: "varchar", length: 40 })
  name!: string;

  /** The process that does the work; a new ID each time. */
  @Column(UUID_COLUMN)
  holder!: string;

  /** When another process may take over, because the holder was killed or hangs. */
  @Column(TIMESTAMP_COLUMN)
  heldUntil!: Timestamp;
}
