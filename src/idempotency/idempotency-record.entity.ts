import { Column, Entity, Index, PrimaryColumn } from "typeorm";
import type { Timestamp } from "../common/time";
import { TIMESTAMP_COLUMN, UUID_COLUMN } from "../database/columns";

/** A used idempotency key and the ID of the resource created with it. */
@Entity()
export class IdempotencyRecord {
  /** The operation and its caller, such as `createPet:<agent id>`; keys are unique only within this scope. */
  @PrimaryColumn({ type: "varchar", length: 80 })
  scope!: string;

  /** SHA-256 of the key in hexadecimal; clients may put secrets into keys. */
  @PrimaryColumn({ type: "varchar", length: 64 })
  key!: string;

  /** SHA-256 of the input in hexadecimal, to reject the same key with a different input. */
  @Column({ type: "varchar", length: 64 })
  requestHash!: string;

  /** Null only inside the transaction that creates the resource. */
  @Column({ ...UUID_COLUMN, nullable: true })
  resourceId!: string | null;

  @Index()
  @Column(TIMESTAMP_COLUMN)
  createdAt!: Timestamp;
}
