import { Column, Entity, Index, ManyToOne, PrimaryColumn } from "typeorm";
import { Contact } from "./contact.entity";
import { TERM_MAX_LENGTH } from "./contact.limits";

@Entity()
@Index(["agentId", "term", "contactId"])
export class ContactTerm {
  @PrimaryColumn({ type: "varchar", length: 36 })
  contactId!: string;

  @ManyToOne(() => Contact)
  contact?: Contact;

  /** Compared byte by byte, so that the index finds terms by prefix. */
  @PrimaryColumn({ type: "varchar", length: TERM_MAX_LENGTH, collation: "C" })
  term!: string;

  @Column({ type: "varchar", length: 36 })
  agentId!: string;
}
