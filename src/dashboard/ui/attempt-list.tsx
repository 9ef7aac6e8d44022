import type { ReactNode } from "react";
import styles from "./attempt-list.module.css";
import { formatNumber, Time, TimesInFull } from "./format";

/** An attempt to deliver something. */
export interface ListedAttempt {
  key: string | number;
  state: ReactNode;
  at: string;
  /** Null while the attempt is in progress, or if its duration is unknown. */
  tookMs: number | null;
  code?: string | null;
  detail: string | null;
  more?: ReactNode;
}

/** Attempts, oldest first; undefined while they are loading. */
export const AttemptList = ({ attempts }: { attempts: readonly ListedAttempt[] | undefined }) => (
  <TimesInFull value={true}>
    <ol className={styles.attempts} aria-label="Attempts" aria-busy={attempts === undefined}>
      {attempts?.map(({ key, state, at, tookMs, code, detail, more }) => (
        <li key={key}>
          {state} <Time value={at} />
          {tookMs !== null && `, took ${durationOf(tookMs)}`}
          {code != null && (
            <>
              {" "}
              <code>{code}</code>
            </>
          )}
          {detail !== null && <p>{detail}</p>}
          {more}
        </li>
      ))}
    </ol>
  </TimesInFull>
);

/** Formats a duration: "85 ms", "2.4 s". */
const durationOf = (ms: number): string =>
  ms < 1_000 ? `${formatNumber(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
