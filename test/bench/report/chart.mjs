import { mark, times, whole } from "./format.mjs";

const WIDTH = 900;
const LABELS = 285;
const BAR = 15;
const GAP = 14;
const TOP = 108;
const LEGEND_COLUMNS = 6;
const COLORS = {
  product: "#1d4ed8",
  floor: "#94a3b8",
  "floor-same-work": "#475569",
  mercurius: "#2dd4bf",
  "mercurius-same-work": "#0f766e",
  yoga: "#d97706",
  "textbook-apollo": "#9333ea",
  nest: "#dc2626",
  sofa: "#65a30d",
  postgraphile: "#0891b2",
};

const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

/** Returns an SVG of each contender's throughput as a multiple of the product's, with a group of bars per workload. */
export function throughputChart(workloads, connections, heading) {
  const groups = workloads
    .map(({ title, results }) => ({ title, bars: Object.entries(results[connections] ?? {}) }))
    .filter(({ bars }) => bars.length > 1);
  const ratioOf = ({ ratio }) => ratio?.perSecond ?? 1;
  const most = Math.max(1.2, ...groups.flatMap(({ bars }) => bars.map(([, result]) => ratioOf(result))));
  const x = (ratio) => LABELS + (ratio / most) * (WIDTH - LABELS - 120);
  const parts = [];
  let y = TOP;
  for (const { title, bars } of groups) {
    const middle = y + (bars.length * BAR) / 2 + 4;
    parts.push(
      `<text x="${LABELS - 12}" y="${middle}" text-anchor="end" class="group">${escaped(title)}</text>`,
    );
    for (const [name, result] of bars) {
      const ratio = ratioOf(result);
      const width = (x(ratio) - LABELS).toFixed(1);
      parts.push(
        `<rect x="${LABELS}" y="${y + 1}" width="${width}" height="${BAR - 2}" rx="2" fill="${COLORS[name] ?? "#334155"}"/>`,
        `<text x="${(x(ratio) + 5).toFixed(1)}" y="${y + BAR - 4}" class="value">${times(ratio)}${mark(result, "perSecond")} · ${whole(result.median.perSecond)}/s</text>`,
      );
      y += BAR;
    }
    y += GAP;
  }
  const names = [...new Set(groups.flatMap(({ bars }) => bars.map(([name]) => name)))];
  const legend = names.map((name, i) => {
    const left = 20 + (i % LEGEND_COLUMNS) * 145;
    const top = 56 + Math.floor(i / LEGEND_COLUMNS) * 18;
    return `<rect x="${left}" y="${top}" width="12" height="12" rx="2" fill="${COLORS[name] ?? "#334155"}"/><text x="${left + 17}" y="${top + 10}" class="value">${escaped(name)}</text>`;
  });
  const one = x(1).toFixed(1);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${y + 6}" viewBox="0 0 ${WIDTH} ${y + 6}" role="img" aria-label="${escaped(heading)}">`,
    "<style>text{font-family:system-ui,sans-serif;fill:#0f172a}.title{font-size:17px;font-weight:600}.note,.group{font-size:12.5px}.value{font-size:11px;paint-order:stroke;stroke:#ffffff;stroke-width:3px}</style>",
    `<rect width="${WIDTH}" height="${y + 6}" fill="#ffffff"/>`,
    `<text x="20" y="28" class="title">${escaped(heading)}</text>`,
    `<text x="20" y="46" class="note">requests per second as a multiple of the product's, ${connections} connections; longer is faster</text>`,
    ...legend,
    `<line x1="${one}" y1="${TOP - 8}" x2="${one}" y2="${y - GAP + 4}" stroke="#1d4ed8" stroke-dasharray="3 3"/>`,
    ...parts,
    "</svg>",
    "",
  ].join("\n");
}
