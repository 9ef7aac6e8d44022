import { Column, Entity, ManyToOne, PrimaryColumn } from "typeorm";
import type { Timestamp } from "../../common/time";
import { Line } from "./line.entity";

/**
 * A line's recent traffic. It has a separate table because deliveries lock it after the lanes, but changes to a line
 * lock the line before the lanes.
 */
@Entity()
export class LineTraffic {
  @PrimaryColumn({ type: "varchar", length: 36 })
  lineId!: string;

  @ManyToOne(() => Line)
  line?: Line;

  /** Number of consecutive attempts that ended with a permanent rejection or a permanent line fault. */
  @Column({ type: "integer" })
  rejections!: number;

  /** The line faults since the last success: the last fault's code and detail, and the first fault's time. */
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

  /** When the rate-limit turn of the last waiting message ends (ms since the epoch, with fractions). */
  @Column({ type: "float" })
  queuedUntil!: number;

  /** When the rate-limit turn of the last waiting urgent message ends (ms since the epoch, with fractions). */
  @Column({ type: "float", default: 0 })
  urgentUntil!: number;
}
