import styles from "./messages.module.css";

/** The beginning of a message, on one line in a list. */
export const Preview = ({ text }: { text: string }) => (
  <span className={styles.line} dir="auto">
    {text === "" ? <i>erased</i> : text}
  </span>
);
