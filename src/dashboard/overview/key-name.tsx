import type { KeyUse } from "./series";
import styles from "./usage.module.css";

/** A key with its prefix, and with its color in the chart if it has one. */
export const KeyName = ({ apiKey, color }: { apiKey: KeyUse["apiKey"]; color?: string }) => (
  <div className={styles.key}>
    {color !== undefined && <i className={styles.swatch} style={{ background: color }} aria-hidden="true" />}
    <div>
      <p className={styles.name}>{apiKey.name}</p>
      <p className={styles.hint}>
        <code>{apiKey.hint}</code>
      </p>
    </div>
  </div>
);
