import { type ReactNode, useId } from "react";
import styles from "./segmented.module.css";

/** A choice between a few values that are all visible. */
export function Segmented<Value extends string>(props: {
  label: string;
  options: readonly { value: Value; label: ReactNode }[];
  value: Value;
  onChange: (value: Value) => void;
}) {
  const name = useId();
  return (
    <div role="radiogroup" aria-label={props.label} className={styles.group}>
      {props.options.map(({ value, label }) => (
        <label key={value} className={styles.option}>
          <input
            type="radio"
            className="visually-hidden"
            name={name}
            checked={value === props.value}
            onChange={() => props.onChange(value)}
          />
          <span className={styles.text}>{label}</span>
        </label>
      ))}
    </div>
  );
}
