import { Column, Entity, Index, PrimaryColumn } from "typeorm";
import type { Timestamp } from "../../common/time";
import { TIMESTAMP_COLUMN } from "../../database/columns";

/** Counts attempts by address or account in a time window, or marks an address as known until the window ends. */
@Entity()
export class SignInThrottle {
  /** Hash of the address, the account or both, in hexadecimal. */
  @PrimaryColumn({ type: "varchar", length: 64 })
  bucket!: string;

  @Column({ type: "integer" })
  attempts!: number;

  @Index()
  @Column(TIMESTAMP_COLUMN)
  windowEndsAt!: Timestamp;
}
