import { Field, ID, ObjectType } from "type-graphql";
import { Column, Entity, Index, ManyToOne, PrimaryColumn } from "typeorm";
import { Permission } from "../../auth/permissions";
import { Nullable } from "../../common/nullable";
import type { Timestamp } from "../../common/time";
import { TIMESTAMP_COLUMN, UUID_COLUMN } from "../../database/columns";
import { InsertOrderLock } from "../../database/insert-order-lock";
import { Organization } from "../organizations/organization.entity";

/**
 * Serializes changes to members, invitations and assignments per organization, so that each organization
 * always has a member with `config:manage`, and no conversation is assigned to a removed member. Must be
 * acquired before any row lock.
 */
export const MEMBER_CHANGES = new InsertOrderLock(4);

@ObjectType({
  description:
    "A person who belongs to an organization and signs in with a password, a passkey or OpenID Connect.",
})
@Entity()
export class Member {
  @Field(() => ID, { description: "Unique identifier (UUID)." })
  @PrimaryColumn(UUID_COLUMN)
  id!: string;

  @Index()
  @Column(UUID_COLUMN)
  organizationId!: string;

  @Field(() => Organization, { description: "The organization that the member belongs to." })
  @ManyToOne(() => Organization)
  organization!: Organization;

  @Field(() => String, { description: "E-mail address in lowercase, unique across the service." })
  @Column({ type: "varchar", length: 254, unique: true })
  email!: string;

  /** True if the member set the address without verification, so it must not link an OpenID Connect account. */
  @Column({ type: "boolean", default: false })
  isEmailSelfChosen!: boolean;

  @Nullable(() => String, "Name chosen by the member, or null if there is none. Names need not be unique.")
  @Column({ type: "varchar", length: 100, nullable: true })
  name!: string | null;

  /** The password's argon2id hash, in PHC string format; empty for a member without a password. */
  @Column({ type: "varchar", length: 200 })
  passwordHash!: string;

  @Field(() => Boolean, {
    description:
      "True if the member has a password. Otherwise, the member signs in with a passkey or OpenID Connect.",
  })
  get hasPassword(): boolean {
    return this.passwordHash !== "";
  }

  @Field(() => [Permission], {
    description: "The member's permissions. Empty if the member may only view agents and members.",
  })
  @Column({ type: "simple-array" })
  permissions!: Permission[];

  @Column(TIMESTAMP_COLUMN)
  createdAt!: Timestamp;
}
