import { Column, Entity, Index, ManyToOne, PrimaryColumn } from "typeorm";
import type { Timestamp } from "../../common/time";
import { Member } from "./member.entity";

/** A session of a member; only the SHA-256 of its token is stored. */
@Entity()
export class Session {
  @PrimaryColumn({ type: "varchar", length: 36 })
  id!: string;

  @Index()
  @Column({ type: "varchar", length: 36 })
  memberId!: string;

  @ManyToOne(() => Member)
  member?: Member;

  @Column({ type: "varchar", length: 64, unique: true })
  tokenHash!: string;

  @Column({ type: "varchar", length: 24 })
  createdAt!: Timestamp;

  @Index()
  @Column({ type: "varchar", length: 24 })
  expiresAt!: Timestamp;
}
