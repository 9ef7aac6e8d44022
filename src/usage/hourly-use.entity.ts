import { Column, Entity, Index, ManyToOne, PrimaryColumn } from "typeorm";
import { ApiKey } from "../keys/api-key.entity";
import type { Timestamp } from "../validation/timestamp";

/** How often a key was presented in one hour, and with what outcome. */
@Entity()
export class HourlyUse {
  @PrimaryColumn({ type: "varchar", length: 36 })
  keyId!: string;

  @ManyToOne(() => ApiKey)
  key?: ApiKey;

  /** The hour's first moment. */
  @Index()
  @PrimaryColumn({ type: "varchar", length: 24 })
  hour!: Timestamp;

  @Column({ type: "integer" })
  accepted!: number;

  @Column({ type: "integer" })
  refused!: number;
}
