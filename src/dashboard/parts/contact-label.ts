interface Labeled {
  ref: string | null;
  name: string | null;
  addresses: readonly { address: string }[];
}

/** Returns a contact's label: its name, ref or first address. */
export const labelOfContact = ({ name, ref, addresses }: Labeled): string =>
  name ?? ref ?? addresses[0]?.address ?? "Unnamed contact";

/** Returns the label of a contact that may have been erased. */
export const nameOfContact = (contact: (Labeled & { erasedAt: string | null }) | null): string =>
  contact === null || contact.erasedAt !== null ? "Erased contact" : labelOfContact(contact);

/** Returns the label of a conversation's contact. */
export const nameOfPartner = ({ contact, address }: Partner): string =>
  nameOfContact(contact && { ...contact, addresses: address === null ? [] : [{ address }] });

/** A conversation's contact, and the contact's address in that conversation. */
export interface Partner {
  contact: { ref: string | null; name: string | null; erasedAt: string | null } | null;
  address: string | null;
}
