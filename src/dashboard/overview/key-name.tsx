import type { KeyUse } from "./series";
import styles from "./usage.module.css";

/** A key with its hint, and with its colour in the chart if it has one. */
export const KeyName = ({ apiKey, colour }: { apiKey: KeyUse["apiKey"]; colour?: string }) => (
  <div className={styles.key}>
    {colour !== undefined && (
      <i className={styles.swatch} style={{ background: colour }} aria-hidden="true" />
    )}
    <div>
      <p className={styles.name}>{apiKey.name}</p>
      <p className={styles.hint}>
        <code>{apiKey.hint}</code>
      </p>
    </div>
  </div>
);
