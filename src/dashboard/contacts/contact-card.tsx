import { Link } from "wouter";
import { Card } from "../ui/page";
import { ContactAddresses } from "./contact-addresses";
import { ContactTags } from "./contact-tags";
import styles from "./contacts.module.css";
import type { ContactFragment } from "./documents.generated";

/** The contact's details, next to related content. */
export const ContactCard = ({ contact }: { contact: ContactFragment }) => (
  <Card
    title="Contact"
    aside={contact.erasedAt === null && <Link href={`/contacts/${contact.id}`}>View contact</Link>}
  >
    {contact.erasedAt === null ? (
      <>
        <ContactAddresses id={contact.id} addresses={contact.addresses} />
        <ContactTags id={contact.id} tags={contact.tags} />
      </>
    ) : (
      <p className={styles.body}>This contact was erased.</p>
    )}
  </Card>
);
