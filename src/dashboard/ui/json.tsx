import styles from "./json.module.css";

const isEmpty = (value: unknown): boolean =>
  value === null || (typeof value === "object" && Object.keys(value).length === 0);

/** A JSON value, shown on demand; a dash if it is empty. */
export const Json = ({ label, value, open }: { label: string; value: unknown; open?: boolean }) =>
  isEmpty(value) ? (
    "–"
  ) : (
    <details className={styles.json} open={open}>
      <summary>{label}</summary>
      <pre>{JSON.stringify(value, null, 2)}</pre>
    </details>
  );
