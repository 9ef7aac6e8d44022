import { Field, GraphQLISODateTime, ID, ObjectType } from "type-graphql";
import { Column, Entity, Index, ManyToOne, PrimaryColumn } from "typeorm";
import { Permission } from "../../auth/permissions";
import type { Timestamp } from "../../common/time";
import { TIMESTAMP_COLUMN, UUID_COLUMN } from "../../database/columns";
import { TimeColumn } from "../../schema/columns";
import { Organization } from "../organizations/organization.entity";

/** A pending invitation; the row is deleted when the invitation ends. Only the SHA-256 of its token is stored. */
@ObjectType({
  description: "A pending invitation to become a member: not accepted, not withdrawn and not expired.",
})
@Entity()
@Index(["organizationId", "email"], { unique: true })
export class Invitation {
  @Field(() => ID, { description: "Unique identifier (UUID)." })
  @PrimaryColumn(UUID_COLUMN)
  id!: string;

  @Column(UUID_COLUMN)
  organizationId!: string;

  @Field(() => Organization, { description: "The organization that the person is invited to." })
  @ManyToOne(() => Organization)
  organization!: Organization;

  @Field(() => String, { description: "The invited person's e-mail address, in lowercase." })
  @Column({ type: "varchar", length: 254 })
  email!: string;

  @Field(() => [Permission], { description: "Permissions that the member will have." })
  @Column({ type: "simple-array" })
  permissions!: Permission[];

  @Column({ type: "varchar", length: 64, unique: true })
  tokenHash!: string;

  /** ID of the member who sent the invitation; null if it was sent from the command line. */
  @Index()
  @Column({ ...UUID_COLUMN, nullable: true })
  invitedById!: string | null;

  @Field(() => String, {
    description: "E-mail address of the member who sent the invitation, or `command line`.",
  })
  @Column({ type: "varchar", length: 254 })
  invitedBy!: string;

  @TimeColumn("When the invitation was sent.")
  createdAt!: Timestamp;

  @Field(() => GraphQLISODateTime, {
    description: "When the invitation expires: 72 hours after it was sent.",
  })
  @Index()
  @Column(TIMESTAMP_COLUMN)
  expiresAt!: Timestamp;
}
