import { type ReactNode, useId } from "react";
import styles from "./choice.module.css";

interface Option<Value extends string> {
  value: Value;
  label: ReactNode;
}

/** One of a few, side by side: radio buttons, with what the keyboard does to them. */
export function Choice<Value extends string>(props: {
  label: string;
  value: Value;
  options: readonly Option<Value>[];
  onChange: (value: Value) => void;
}) {
  const name = useId();
  return (
    <fieldset className={styles.choice}>
      <legend className="visually-hidden">{props.label}</legend>
      {props.options.map(({ value, label }) => (
        <label key={value} className={styles.option}>
          <input
            type="radio"
            className="visually-hidden"
            name={name}
            checked={value === props.value}
            onChange={() => props.onChange(value)}
          />
          {label}
        </label>
      ))}
    </fieldset>
  );
}
