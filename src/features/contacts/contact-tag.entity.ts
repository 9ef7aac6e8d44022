import { Column, Entity, Index, ManyToOne, PrimaryColumn } from "typeorm";
import type { Timestamp } from "../../common/time";
import { Contact } from "./contact.entity";
import { TAG_MAX_LENGTH } from "./contact.limits";

@Entity()
@Index(["agentId", "tag", "contactId"])
export class ContactTag {
  @PrimaryColumn({ type: "varchar", length: 36 })
  contactId!: string;

  @ManyToOne(() => Contact)
  contact?: Contact;

  @PrimaryColumn({ type: "varchar", length: TAG_MAX_LENGTH })
  tag!: string;

  @Column({ type: "varchar", length: 36 })
  agentId!: string;

  @Column({ type: "varchar", length: 24 })
  addedAt!: Timestamp;

  /** Who added the tag: a member's e-mail address, a key's hint or `command line`. */
  @Column({ type: "varchar", length: 254 })
  addedBy!: string;
}
