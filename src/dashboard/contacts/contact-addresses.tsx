import { Time } from "../ui/format";
import { Tag } from "../ui/tag";
import styles from "./contacts.module.css";
import type { AddressKind, ContactLabelFragment } from "./documents.generated";

const KINDS: Readonly<Record<AddressKind, string>> = {
  email: "Email",
  local: "On this server",
  other: "Other",
  phone: "Phone",
};

/** The addresses of a contact, and whether each accepts messages. */
export const ContactAddresses = ({ addresses }: Pick<ContactLabelFragment, "addresses">) => (
  <ul className={styles.list} aria-label="Addresses">
    {addresses.length === 0 && <li>No addresses: nothing can be sent.</li>}
    {addresses.map(({ id, kind, address, optedOutAt }) => (
      <li key={id} className={styles.address}>
        <bdi>{address}</bdi>
        <span>
          {optedOutAt === null ? (
            <Tag tone="plain">{KINDS[kind] ?? kind}</Tag>
          ) : (
            <>
              <Tag tone="warn">Opted out</Tag> <Time value={optedOutAt} />
            </>
          )}
        </span>
      </li>
    ))}
  </ul>
);
