import { Field, GraphQLISODateTime, ObjectType } from "type-graphql";
import { Column, Entity, Index, ManyToOne, PrimaryColumn } from "typeorm";
import type { Timestamp } from "../../common/time";
import { TIMESTAMP_COLUMN, UUID_COLUMN } from "../../database/columns";
import { Member } from "./member.entity";

/** The account at an OpenID Connect issuer with which a member signs in. */
@ObjectType({
  simpleResolvers: true,
  description: "The account at an OpenID Connect issuer with which a member signs in.",
})
@Entity()
@Index(["issuer", "subject"], { unique: true })
export class MemberIdentity {
  @PrimaryColumn(UUID_COLUMN)
  memberId!: string;

  @ManyToOne(() => Member)
  member?: Member;

  @Field(() => String, { description: "URL that identifies the issuer." })
  @Column({ type: "varchar", length: 500 })
  issuer!: string;

  @Field(() => String, { description: "Identifier of the account at the issuer." })
  @Column({ type: "varchar", length: 255 })
  subject!: string;

  @Field(() => GraphQLISODateTime, { description: "When the member first signed in with it." })
  @Column(TIMESTAMP_COLUMN)
  boundAt!: Timestamp;
}
