import { bars } from "./bars";
import styles from "./usage.module.css";

/** Little bars for the eye, beside the number that they come to. */
export function SparkLine({ values, colour }: { values: readonly number[]; colour: string }) {
  const top = Math.max(...values, 1);
  return (
    <svg
      aria-hidden="true"
      className={styles.spark}
      viewBox={`0 0 ${values.length} ${top}`}
      preserveAspectRatio="none"
    >
      <path
        d={bars(
          values,
          values.map(() => top),
        )}
        style={{ fill: colour }}
      />
    </svg>
  );
}
