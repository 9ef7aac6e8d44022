import type { ReactNode } from "react";
import styles from "./facts.module.css";
import { TimesInFull } from "./format";

/** Names and values of one resource. Values that are null, undefined or false are omitted; times are shown in full. */
export const Facts = ({ facts }: { facts: Readonly<Record<string, ReactNode>> }) => (
  <TimesInFull value={true}>
    <dl className={styles.facts}>
      {Object.entries(facts).map(
        ([name, value]) =>
          value != null &&
          value !== false && (
            <div key={name} className={styles.fact}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
    </dl>
  </TimesInFull>
);
