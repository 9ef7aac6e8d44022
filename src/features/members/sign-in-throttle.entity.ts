import { Column, Entity, Index, PrimaryColumn } from "typeorm";
import type { Timestamp } from "../../common/time";

/**
 * How often somebody tried to sign in from one address, or to one account, in the present window of time; or that an
 * address is known for an account until its end.
 */
@Entity()
export class SignInThrottle {
  /** SHA-256 of the address or of the account, hexadecimal. */
  @PrimaryColumn({ type: "varchar", length: 64 })
  bucket!: string;

  @Column({ type: "integer" })
  attempts!: number;

  @Index()
  @Column({ type: "varchar", length: 24 })
  windowEndsAt!: Timestamp;
}
