import { Column, Entity, ManyToOne, PrimaryColumn } from "typeorm";
import type { Timestamp } from "../../common/time";
import { Contact } from "./contact.entity";

/** An erased contact whose data in other features is not yet erased; deleted afterwards. */
@Entity()
export class Erasure {
  @PrimaryColumn({ type: "varchar", length: 36 })
  contactId!: string;

  @ManyToOne(() => Contact)
  contact?: Contact;

  @Column({ type: "varchar", length: 24 })
  startedAt!: Timestamp;
}
