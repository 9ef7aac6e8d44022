import { structuredPatch } from "diff";
import { useMemo, useState } from "react";
import styles from "./configuration.module.css";
import { textOf } from "./document-text";

/** Number of unchanged lines shown around a change. */
const CONTEXT_LINES = 3;

/** The difference between two documents, line by line. */
export function Diff({ label, before, after }: { label: string; before: unknown; after: unknown }) {
  const [showsAll, setShowsAll] = useState(false);
  const texts = useMemo(() => [textOf(before), textOf(after)] as const, [before, after]);
  return <TextDiff label={label} texts={texts} showsAll={showsAll} onShowAll={setShowsAll} />;
}

/** The difference between two texts. */
export function TextDiff(props: {
  label: string;
  texts: readonly [before: string, after: string];
  showsAll?: boolean;
  onShowAll?: (all: boolean) => void;
}) {
  const { label, texts, showsAll = false, onShowAll } = props;
  const [before, after] = texts;
  const { hunks } = useMemo(
    () =>
      structuredPatch("", "", `${before}\n`, `${after}\n`, "", "", {
        context: showsAll ? Number.MAX_SAFE_INTEGER : CONTEXT_LINES,
      }),
    [before, after, showsAll],
  );
  const lines = hunks.flatMap(({ lines }) => lines);
  const count = (sign: string) => lines.filter((line) => line.startsWith(sign)).length;
  if (hunks.length === 0) return <p className={styles.text}>No differences.</p>;
  return (
    <>
      <p className={styles.diffSummary}>
        <span>
          {lineCount(count("+"))} added, {lineCount(count("-"))} removed
        </span>
        {onShowAll && (
          <button type="button" className={styles.place} onClick={() => onShowAll(!showsAll)}>
            {showsAll ? "Show changes only" : "Show whole document"}
          </button>
        )}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it must be scrollable by keyboard */}
      <section className={styles.diff} aria-label={label} tabIndex={0}>
        {hunks.map(({ oldStart, newStart, lines: of }, hunk) => (
          <div key={`${oldStart} ${newStart}`} className={styles.hunk}>
            {!showsAll && (hunk > 0 || newStart > 1) && <p className={styles.gap}>Line {newStart}</p>}
            {of.map((line, i) => (
              <Line
                // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other identity
                key={i}
                line={line}
              />
            ))}
          </div>
        ))}
      </section>
    </>
  );
}

const lineCount = (count: number): string => `${count} line${count === 1 ? "" : "s"}`;

function Line({ line }: { line: string }) {
  const text = line.slice(1) || " ";
  if (line.startsWith("+")) return <ins>{text}</ins>;
  if (line.startsWith("-")) return <del>{text}</del>;
  return <span>{text}</span>;
}
