import { type KeyboardEvent, type PointerEvent, useState } from "react";
import styles from "./chart.module.css";
import { formatCompact, formatNumber } from "./format";
import { roundUp } from "./round-up";

/** A series of a chart, in one color. */
export interface Series {
  label: string;
  color: string;
  /** One number per bucket. */
  values: readonly number[];
}

/** The fraction of its slot that a bar fills. */
const BAR_WIDTH = 0.7;

/**
 * Returns an SVG path of adjacent bars, each in a slot of width 1.
 * @param floors the start of each bar, measured from the top as in SVG
 */
const barPath = (heights: readonly number[], floors: readonly number[]): string =>
  heights
    .map((height, i) =>
      height > 0 ? `M${i + (1 - BAR_WIDTH) / 2} ${floors[i]}v${-height}h${BAR_WIDTH}v${height}z` : "",
    )
    .join("");

/**
 * Stacked bars with a legend. The values of the bar under the pointer, or selected with the arrow keys, are shown next
 * to it.
 * @param names full name of each bar
 * @param ticks the text below each bar; "" for none
 */
export function BarChart(props: {
  label: string;
  series: readonly Series[];
  names: readonly string[];
  ticks: readonly string[];
  note?: string | undefined;
}) {
  const { series, names } = props;
  const [selected, setSelected] = useState<number>();
  const sums = names.map((_, i) => series.reduce((sum, { values }) => sum + (values[i] ?? 0), 0));
  const top = roundUp(Math.max(...sums));

  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    setSelected((now = names.length) => Math.min(Math.max(now + step, 0), names.length - 1));
  };
  const onPointerMove = ({ clientX, currentTarget }: PointerEvent) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    setSelected(
      Math.min(Math.max(Math.floor(((clientX - left) / width) * names.length), 0), names.length - 1),
    );
  };

  return (
    <figure className={styles.chart}>
      <div className={styles.axis} aria-hidden="true">
        {[top, top / 2, 0].map((value) => (
          <span key={value}>{formatCompact(value)}</span>
        ))}
      </div>
      <div className={styles.area}>
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for form fields */}
        <div
          className={styles.plot}
          role="group"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys select a bar
          tabIndex={0}
          aria-label={`${props.label}. Use the arrow keys to read each bar.`}
          onKeyDown={onKeyDown}
          onPointerMove={onPointerMove}
          onPointerLeave={() => setSelected(undefined)}
          onBlur={() => setSelected(undefined)}
        >
          <svg
            aria-hidden="true"
            viewBox={`0 0 ${names.length} ${top}`}
            preserveAspectRatio="none"
            className={styles.bars}
          >
            <path
              className={styles.slots}
              d={barPath(
                sums.map(() => top),
                sums.map(() => top),
              )}
            />
            {selected !== undefined && (
              <rect className={styles.selected} x={selected} y={0} width={1} height={top} />
            )}
            <Stack series={series} count={names.length} top={top} />
          </svg>
        </div>
        <figcaption
          className={styles.values}
          aria-live="polite"
          data-shown={selected !== undefined}
          style={selected === undefined ? undefined : besideOf(selected, names.length)}
        >
          {selected !== undefined && <Values name={names[selected]} series={series} index={selected} />}
        </figcaption>
      </div>
      <div className={styles.ticks} aria-hidden="true">
        {props.ticks.map((tick, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a bar is identified by its index
          <span key={i}>{tick}</span>
        ))}
      </div>
      <ul className={styles.legend} aria-label="Legend">
        {series.map(({ label, color }) => (
          <li key={label}>
            <Swatch color={color} />
            <span className={styles.name} dir="auto">
              {label}
            </span>
          </li>
        ))}
        {props.note !== undefined && <li>{props.note}</li>}
      </ul>
    </figure>
  );
}

/** Places the values on the side of the bar with more room. */
const besideOf = (index: number, count: number) =>
  index < count / 2
    ? { insetInlineStart: `calc(${((index + 1) / count) * 100}% + 0.5rem)` }
    : { insetInlineEnd: `calc(${(1 - index / count) * 100}% + 0.5rem)` };

/** A color sample of a series. */
export const Swatch = ({ color }: { color: string }) => (
  <i className={styles.swatch} style={{ background: color }} aria-hidden="true" />
);

function Stack({ series, count, top }: { series: readonly Series[]; count: number; top: number }) {
  let floors: readonly number[] = Array.from({ length: count }, () => top);
  return series.map(({ label, color, values }) => {
    const path = barPath(values, floors);
    floors = floors.map((floor, i) => floor - (values[i] ?? 0));
    return <path key={label} d={path} style={{ fill: color }} />;
  });
}

function Values({ name, series, index }: { name?: string; series: readonly Series[]; index: number }) {
  const parts = series.filter(({ values }) => (values[index] ?? 0) > 0);
  return (
    <>
      <strong>{name}</strong>
      {parts.length === 0 && <span>No requests</span>}
      {parts.map(({ label, color, values }) => (
        <span key={label} className={styles.value}>
          <Swatch color={color} />
          <span className={styles.name} dir="auto">
            {label}
          </span>{" "}
          <span className="numbers">{formatNumber(values[index] ?? 0)}</span>
        </span>
      ))}
    </>
  );
}

/** Small bars that show the trend next to a number. */
export function SparkLine({ values, color }: { values: readonly number[]; color: string }) {
  const top = Math.max(...values, 1);
  const floors = values.map(() => top);
  return (
    <svg
      aria-hidden="true"
      className={styles.spark}
      viewBox={`0 0 ${values.length} ${top}`}
      preserveAspectRatio="none"
    >
      <path d={barPath(values, floors)} style={{ fill: color }} />
    </svg>
  );
}
