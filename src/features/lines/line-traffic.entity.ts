import { Column, Entity, ManyToOne, PrimaryColumn } from "typeorm";
import type { Timestamp } from "../../common/time";
import { Line } from "./line.entity";

/** A line's recent traffic, kept in a separate table because deliveries lock it after the lanes. */
@Entity()
export class LineTraffic {
  @PrimaryColumn({ type: "varchar", length: 36 })
  lineId!: string;

  @ManyToOne(() => Line)
  line?: Line;

  /** Number of consecutive attempts that ended with a permanent rejection or a permanent line fault. */
  @Column({ type: "integer" })
  rejections!: number;

  /** The last line fault since the last success: its code, its detail, and the time of the first fault. */
  @Column({ type: "varchar", length: 60, nullable: true })
  faultCode!: string | null;

  @Column({ type: "text", nullable: true })
  faultDetail!: string | null;

  @Column({ type: "varchar", length: 24, nullable: true })
  faultSince!: Timestamp | null;

  /** The rate limit used to compute `nextAt`, `queuedUntil` and `urgentUntil`; 0 if there is none. */
  @Column({ type: "integer" })
  ratePerMinute!: number;

  /** When the rate limit next allows a message (ms since the epoch, with fractions). */
  @Column({ type: "float" })
  nextAt!: number;

  /** When the last turn assigned to a waiting message ends (ms since the epoch, with fractions). */
  @Column({ type: "float" })
  queuedUntil!: number;

  /** When the last turn assigned to a waiting urgent message ends (ms since the epoch, with fractions). */
  @Column({ type: "float", default: 0 })
  urgentUntil!: number;
}
