import { Field, ObjectType } from "type-graphql";
import { Column, Entity, Index, ManyToOne, PrimaryColumn } from "typeorm";
import type { Timestamp } from "../../common/time";
import { UUID_COLUMN } from "../../database/columns";
import { TimeColumn } from "../../schema/columns";
import { MaxCharacters } from "../../schema/list-size";
import { Member } from "./member.entity";

const ISSUER_MAX_LENGTH = 500;

/** Max length of a subject (OpenID Connect Core, section 2). */
export const SUBJECT_MAX_LENGTH = 255;

@ObjectType({ description: "The OpenID Connect account that a member signs in with." })
@Entity()
@Index(["issuer", "subject"], { unique: true })
export class MemberIdentity {
  @PrimaryColumn(UUID_COLUMN)
  memberId!: string;

  @ManyToOne(() => Member)
  member?: Member;

  @Field(() => String, { description: "URL that identifies the issuer." })
  @MaxCharacters(ISSUER_MAX_LENGTH)
  @Column({ type: "varchar", length: ISSUER_MAX_LENGTH })
  issuer!: string;

  @Field(() => String, { description: "Identifier of the account at the issuer." })
  @MaxCharacters(SUBJECT_MAX_LENGTH)
  @Column({ type: "varchar", length: SUBJECT_MAX_LENGTH })
  subject!: string;

  @TimeColumn("When the member first signed in with the account.")
  boundAt!: Timestamp;

  @Field(() => Boolean, {
    description:
      "True if the member can sign in with the account, or false if the server has switched to another issuer.",
  })
  isCurrent!: boolean;
}
