import { Column, Entity, Index, PrimaryColumn } from "typeorm";
import type { Timestamp } from "../common/time";

/** One idempotency key that was used, and what it made. */
@Entity()
export class IdempotencyRecord {
  /** Whose key and for which operation, such as `createPet:<agent id>`. */
  @PrimaryColumn({ type: "varchar", length: 80 })
  scope!: string;

  /** SHA-256, hexadecimal: clients may put anything into it, even what is secret. */
  @PrimaryColumn({ type: "varchar", length: 64 })
  key!: string;

  /** SHA-256 of the input, hexadecimal: the same key with another input is refused. */
  @Column({ type: "varchar", length: 64 })
  requestHash!: string;

  /** Null only inside the transaction that is making it. */
  @Column({ type: "varchar", length: 36, nullable: true })
  resourceId!: string | null;

  @Index()
  @Column({ type: "varchar", length: 24 })
  createdAt!: Timestamp;
}
