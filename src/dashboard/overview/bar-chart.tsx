import { type KeyboardEvent, type PointerEvent, useState } from "react";
import { shortNumber, wholeNumber } from "../ui/number";
import styles from "./bar-chart.module.css";
import { bars } from "./bars";
import { roundUp, type Series } from "./series";

/**
 * Stacked bars. What a bar is made of stands below them for the one under the pointer, or the one chosen with the arrow
 * keys.
 * @param names what each bar stands for, in full
 * @param ticks what stands under the bars, "" where nothing does
 */
export function BarChart(props: {
  label: string;
  series: readonly Series[];
  names: readonly string[];
  ticks: readonly string[];
  note: string;
}) {
  const { series, names } = props;
  const [chosen, setChosen] = useState<number>();
  const sums = names.map((_, i) => series.reduce((sum, { values }) => sum + (values[i] ?? 0), 0));
  const top = roundUp(Math.max(...sums));

  const onKeyDown = (event: KeyboardEvent) => {
    const next = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    setChosen((now = names.length) => Math.min(Math.max(now + next, 0), names.length - 1));
  };
  const onPointerMove = ({ clientX, currentTarget }: PointerEvent) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    setChosen(Math.min(Math.max(Math.floor(((clientX - left) / width) * names.length), 0), names.length - 1));
  };

  return (
    <figure className={styles.chart}>
      <div className={styles.axis} aria-hidden="true">
        {[top, top / 2, 0].map((value) => (
          <span key={value}>{shortNumber(value)}</span>
        ))}
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for the fields of a form */}
      <div
        className={styles.plot}
        role="group"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys choose a bar
        tabIndex={0}
        aria-label={`${props.label}. The arrow keys read out one bar after the other.`}
        onKeyDown={onKeyDown}
        onPointerMove={onPointerMove}
        onPointerLeave={() => setChosen(undefined)}
        onBlur={() => setChosen(undefined)}
      >
        <svg
          aria-hidden="true"
          viewBox={`0 0 ${names.length} ${top}`}
          preserveAspectRatio="none"
          className={styles.bars}
        >
          {chosen !== undefined && <rect className={styles.chosen} x={chosen} y={0} width={1} height={top} />}
          <Stack series={series} count={names.length} top={top} />
        </svg>
      </div>
      <div className={styles.ticks} aria-hidden="true">
        {props.ticks.map((tick, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a bar is its place
          <span key={i}>{tick}</span>
        ))}
      </div>
      <figcaption className={styles.reading} aria-live="polite">
        {chosen === undefined ? props.note : <Reading name={names[chosen]} series={series} place={chosen} />}
      </figcaption>
    </figure>
  );
}

/** One series upon the other. */
function Stack({ series, count, top }: { series: readonly Series[]; count: number; top: number }) {
  let floors: readonly number[] = Array.from({ length: count }, () => top);
  return series.map(({ label, colour, values }) => {
    const path = bars(values, floors);
    floors = floors.map((floor, i) => floor - (values[i] ?? 0));
    return <path key={label} d={path} style={{ fill: colour }} />;
  });
}

function Reading({ name, series, place }: { name?: string; series: readonly Series[]; place: number }) {
  const parts = series.filter(({ values }) => (values[place] ?? 0) > 0);
  return (
    <>
      <strong>{name}</strong>
      {parts.length === 0 && <span>no requests</span>}
      {parts.map(({ label, colour, values }) => (
        <span key={label}>
          <i className={styles.swatch} style={{ background: colour }} aria-hidden="true" />
          <span className={styles.name}>{label}</span> {wholeNumber(values[place] ?? 0)}
        </span>
      ))}
    </>
  );
}
