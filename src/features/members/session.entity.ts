import { Column, Entity, Index, ManyToOne, PrimaryColumn } from "typeorm";
import type { Timestamp } from "../../common/time";
import { TIMESTAMP_COLUMN, UUID_COLUMN } from "../../database/columns";
import { Member } from "./member.entity";

/** A session of a member; only the SHA-256 of its token is stored. */
@Entity()
export class Session {
  @PrimaryColumn(UUID_COLUMN)
  id!: string;

  @Index()
  @Column(UUID_COLUMN)
  memberId!: string;

  @ManyToOne(() => Member)
  member?: Member;

  @Column({ type: "varchar", length: 64, unique: true })
  tokenHash!: string;

  @Column(TIMESTAMP_COLUMN)
  createdAt!: Timestamp;

  @Index()
  @Column(TIMESTAMP_COLUMN)
  expiresAt!: Timestamp;
}
