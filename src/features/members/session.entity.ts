import { Field, GraphQLISODateTime, ID, ObjectType } from "type-graphql";
import { Column, Entity, Index, ManyToOne, PrimaryColumn } from "typeorm";
import { Nullable } from "../../common/nullable";
import type { Timestamp } from "../../common/time";
import { TIMESTAMP_COLUMN, UUID_COLUMN } from "../../database/columns";
import { TimeColumn } from "../../schema/columns";
import { Member } from "./member.entity";

/** A member's session; only the SHA-256 of its token is stored. */
@ObjectType({ description: "A member's active session." })
@Entity()
export class Session {
  @Field(() => ID, { description: "Unique identifier (UUID)." })
  @PrimaryColumn(UUID_COLUMN)
  id!: string;

  @Index()
  @Column(UUID_COLUMN)
  memberId!: string;

  @ManyToOne(() => Member)
  member?: Member;

  @Column({ type: "varchar", length: 64, unique: true })
  tokenHash!: string;

  @TimeColumn("When the member signed in.")
  createdAt!: Timestamp;

  @Field(() => GraphQLISODateTime, { description: "When the session expires." })
  @Index()
  @Column(TIMESTAMP_COLUMN)
  expiresAt!: Timestamp;
  @Nullable(() => String, "IP address that the member signed in from.")
  @Column({ type: "varchar", length: 45, nullable: true })
  ip!: string | null;

  @Nullable(() => String, "User-Agent of the browser or client that the member used to sign in.")
  @Column({ type: "varchar", length: 200, nullable: true })
  userAgent!: string | null;

  /** SHA-256 of the session ID at the OpenID Connect issuer; empty if it is unknown, null for other sign-in methods. */
  @Index("session_oidc_session", { where: "oidc_session IS NOT NULL" })
  @Column({ type: "varchar", length: 64, nullable: true })
  oidcSession!: string | null;

  /** The time of the member's last authentication; null means `createdAt`. */
  @Column({ ...TIMESTAMP_COLUMN, nullable: true })
  confirmedAt!: Timestamp | null;
}
