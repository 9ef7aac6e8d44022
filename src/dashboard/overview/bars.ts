/** How much of its place a bar fills. */
const WIDTH = 0.7;

/**
 * Bars side by side as one path, each in a place of width 1.
 * @param floors what each bar stands on, counted from the top, as SVG does
 */
export const bars = (heights: readonly number[], floors: readonly number[]): string =>
  heights
    .map((height, i) =>
      height > 0 ? `M${i + (1 - WIDTH) / 2} ${floors[i]}v${-height}h${WIDTH}v${height}z` : "",
    )
    .join("");
