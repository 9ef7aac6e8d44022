import { Field, ID, ObjectType } from "type-graphql";
import { Column, Entity, Index, ManyToOne, PrimaryColumn } from "typeorm";
import type { Timestamp } from "../../common/time";
import { UUID_COLUMN } from "../../database/columns";
import { NullableTime, TimeColumn } from "../../schema/columns";
import { Member } from "./member.entity";

/** A WebAuthn credential that a member signs in with. */
@ObjectType({
  description:
    "A passkey that a member signs in with: a key pair on a device, in a password manager or on a security key. Only its public key is stored.",
})
@Entity()
export class Passkey {
  @Field(() => ID, { description: "Unique identifier (UUID)." })
  @PrimaryColumn(UUID_COLUMN)
  id!: string;

  @Index()
  @Column(UUID_COLUMN)
  memberId!: string;

  @ManyToOne(() => Member)
  member?: Member;

  /** The credential ID, at most 1,023 bytes, in base64url. */
  @Column({ type: "varchar", length: 1364, unique: true })
  credentialId!: string;

  /** The public key in COSE format, in base64url. */
  @Column({ type: "text" })
  publicKey!: string;

  /** The authenticator's signature counter; 0 if it has none. */
  @Column({ type: "bigint", transformer: { from: Number, to: (count: number) => count } })
  counter!: number;

  /** Transports that browsers can use to reach the authenticator. */
  @Column({ type: "simple-array" })
  transports!: string[];

  @Field(() => String, { description: "Name chosen by the member." })
  @Column({ type: "varchar", length: 100 })
  name!: string;

  @TimeColumn("When the passkey was added.")
  createdAt!: Timestamp;

  @NullableTime("When the member last used the passkey, or null if never.")
  lastUsedAt!: Timestamp | null;
}
