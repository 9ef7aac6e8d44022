import { Swatch } from "../ui/chart";
import pageStyles from "../ui/page.module.css";
import { RowLink } from "../ui/row-link";
import type { KeyUse } from "./series";
import styles from "./usage.module.css";

/** A key that links to its page, with its chart color if it has one. */
export const KeyName = ({ apiKey, color }: { apiKey: KeyUse["apiKey"]; color?: string }) => (
  <div className={styles.key}>
    {color !== undefined && <Swatch color={color} />}
    <div className={styles.name}>
      <RowLink href={`/api-keys/${apiKey.id}`}>{apiKey.name}</RowLink>
      <p className={pageStyles.second}>
        <code>{apiKey.hint}</code>
      </p>
    </div>
  </div>
);
