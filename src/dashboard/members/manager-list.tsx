import { usePolledQuery } from "../api/client";
import { LOCALE } from "../ui/format";
import { ANY_MANAGER } from "./any-manager";
import { MembersDocument } from "./documents.generated";
import styles from "./members.module.css";

/** Max managers to name. */
const SHOWN = 3;

/** The e-mail addresses of managers: "a, b, or c". */
export function ManagerList() {
  const members = usePolledQuery(MembersDocument, {}, { pollMs: 60_000 }).data?.members ?? [];
  const emails = members
    .filter(({ permissions }) => permissions.includes("config_manage"))
    .map(({ email }) => email)
    .slice(0, SHOWN);
  if (emails.length === 0) return ANY_MANAGER;
  return new Intl.ListFormat(LOCALE, { type: "disjunction" }).formatToParts(emails).map(({ type, value }) =>
    type === "literal" ? (
      value
    ) : (
      <a key={value} className={styles.address} href={`mailto:${encodeURIComponent(value)}`}>
        {value}
      </a>
    ),
  );
}
