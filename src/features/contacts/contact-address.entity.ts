import { Field, ID, ObjectType } from "type-graphql";
import { Column, Entity, Index, ManyToOne, PrimaryColumn } from "typeorm";
import { enumOf } from "../../common/declared-enum";
import type { Timestamp } from "../../common/time";
import { Uuid } from "../../common/uuid";
import { NullableTime } from "../../schema/columns";
import { ThirdPartyText } from "../../schema/third-party-text";
import { Contact } from "./contact.entity";
import { ADDRESS_MAX_LENGTH } from "./contact.limits";

export const AddressKind = enumOf("AddressKind", "Kind of address.", {
  email: "An e-mail address, case-insensitive.",
  phone: "A phone number with a country code, stored in E.164 format.",
  local: "An address on this server, case-sensitive.",
  other: "An address in another system, case-sensitive.",
});
export type AddressKind = keyof typeof AddressKind;

@ObjectType({ description: "An address of a contact." })
@Entity()
@Index(["agentId", "kind", "address"], { unique: true })
@Index(["contactId"])
export class ContactAddress {
  @Field(() => ID, { description: "Unique identifier (UUID)." })
  @Uuid
  @PrimaryColumn({ type: "varchar", length: 36 })
  id!: string;

  @Column({ type: "varchar", length: 36 })
  agentId!: string;

  @Column({ type: "varchar", length: 36 })
  contactId!: string;

  @ManyToOne(() => Contact)
  contact?: Contact;

  @Field(() => AddressKind, { description: "Kind of address." })
  @Column({ type: "varchar", length: 8 })
  kind!: AddressKind;

  @ThirdPartyText()
  @Field(() => String, { description: "The normalized address." })
  @Column({ type: "varchar", length: ADDRESS_MAX_LENGTH })
  address!: string;

  @NullableTime(
    "When the contact opted out of messages to this address, or null if the contact accepts them.",
  )
  optedOutAt!: Timestamp | null;

  @NullableTime(
    "When a mail server reported that the address does not exist, or null if it is assumed to be deliverable. Messages to the address fail until the contact writes from it or it is marked as deliverable.",
  )
  undeliverableAt!: Timestamp | null;

  /** The time when a loop event was last recorded for the address; null before the first one. */
  @Column({ type: "varchar", length: 24, nullable: true })
  loopDetectedAt!: Timestamp | null;
}
