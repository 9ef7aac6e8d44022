import { Column, Entity, Index, PrimaryColumn } from "typeorm";
import type { Timestamp } from "../../common/time";
import { TIMESTAMP_COLUMN } from "../../database/columns";

/** Counts the attempts from an address or for an account in a window, or marks an address as known until its end. */
@Entity()
export class SignInThrottle {
  /** SHA-256 of the address or the account, in hexadecimal. */
  @PrimaryColumn({ type: "varchar", length: 64 })
  bucket!: string;

  @Column({ type: "integer" })
  attempts!: number;

  @Index()
  @Column(TIMESTAMP_COLUMN)
  windowEndsAt!: Timestamp;
}
