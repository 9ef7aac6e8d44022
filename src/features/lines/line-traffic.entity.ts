import { Column, Entity, ManyToOne, PrimaryColumn } from "typeorm";
import { Line } from "./line.entity";

/** The recent traffic of a line, in a separate table because a delivery locks it after the lanes. */
@Entity()
export class LineTraffic {
  @PrimaryColumn({ type: "varchar", length: 36 })
  lineId!: string;

  @ManyToOne(() => Line)
  line?: Line;

  /** Number of consecutive messages that were permanently rejected. */
  @Column({ type: "integer" })
  rejections!: number;

  /** The rate that the times below were computed for; 0 for none. */
  @Column({ type: "integer" })
  ratePerMinute!: number;

  /** When the rate next allows a message (ms since the epoch, with fractions). */
  @Column({ type: "float" })
  nextAt!: number;

  /** Time until which messages wait for their turn (ms since the epoch, with fractions). */
  @Column({ type: "float" })
  queuedUntil!: number;

  /** Time until which urgent messages wait for their turn (ms since the epoch, with fractions). */
  @Column({ type: "float", default: 0 })
  urgentUntil!: number;
}
