import {
  MARK_MEANS,
  mark,
  markdownTable,
  plainTable,
  spreadText,
  threeDigits,
  times,
  whole,
} from "./format.mjs";
import { sectionTables } from "./sections.mjs";

/** Returns the columns for a ratio to the product and its spread. */
const compared = (measure) => [
  ["× product", ({ ratio }) => times(ratio ? ratio[measure] : 1)],
  ["spread", (result) => spreadText(result, measure)],
];

const COLUMNS = [
  ["requests/s", ({ median }) => whole(median.perSecond)],
  ...compared("perSecond"),
  ["CPU µs/request", ({ median }) => whole(median.cpu)],
  ...compared("cpu"),
  ["busy cores", ({ median: { perSecond, cpu } }) => (cpu ? ((perSecond * cpu) / 1e6).toFixed(2) : "–")],
  ["p50 ms", ({ median }) => threeDigits(median.p50)],
  ["p99 ms", ({ median }) => threeDigits(median.p99)],
  ["p99.9 ms", ({ median }) => threeDigits(median.p999)],
  ["peak MiB", ({ median }) => whole(median.memory)],
  ["× product", ({ ratio }) => times(ratio ? ratio.memory : 1)],
];

const WITH_DATABASE = [["CPU µs with database", ({ median }) => whole(median.allCpu)], ...compared("allCpu")];
const RUNS = ["× in each run", ({ ratio, runs }) => (ratio ? runs.perSecond.map(times).join(" ") : "")];

function rowsOf(first, results) {
  const all = Object.values(results);
  const columns = [
    ...COLUMNS,
    ...(all.some(({ median }) => median.allCpu !== undefined) ? WITH_DATABASE : []),
    ...(all.some(({ runs }) => runs) ? [RUNS] : []),
  ];
  return [
    [first, ...columns.map(([name]) => name)],
    ...Object.entries(results).map(([name, result]) => [name, ...columns.map(([, show]) => show(result))]),
  ];
}

/** Returns the results of a workload for a terminal. */
export const workloadText = ({ title, results }) =>
  Object.entries(results)
    .map(([connections, each]) =>
      ["", `${title}, ${connections} connections`, ...plainTable(rowsOf("", each))].join("\n"),
    )
    .join("\n");

/** Returns the results of a section for a terminal. */
export const sectionText = (name, result) =>
  sectionTables(name, result)
    .map(({ title, rows, note }) => ["", title, ...plainTable(rows), ...(note ? [note] : [])].join("\n"))
    .join("\n");

/** The columns of the summary: label, measure and unit. */
const SUMMARY = [
  ["", "perSecond", "/s"],
  ["CPU ", "cpu", " µs"],
  ["with database ", "allCpu", " µs"],
];

/** Returns one line per workload, with the throughput and CPU time of all contenders compared with the product's. */
function summary(workloads, connections) {
  const names = [...new Set(workloads.flatMap(({ results }) => Object.keys(results[connections] ?? {})))];
  const cell = (result) =>
    SUMMARY.filter(([, measure]) => result?.median[measure] !== undefined)
      .map(([label, measure, unit]) =>
        result.ratio === undefined
          ? `${label}${whole(result.median[measure])}${unit}`
          : `${label}${times(result.ratio[measure])}${mark(result, measure)}`,
      )
      .join(", ");
  return markdownTable([
    ["", ...names],
    ...workloads.map(({ title, results }) => [
      title,
      ...names.map((name) => cell(results[connections]?.[name])),
    ]),
  ]);
}

/**
 * Returns all results as a Markdown page.
 * @param chart file name of the chart
 */
export function markdownPage({ circumstances, workloads, sections, minutes }, chart) {
  const { date, engine, machine, pinning, node, product, contenders, settings } = circumstances;
  const lines = [
    `# Results on ${engine === "sqlite" ? "SQLite" : "PostgreSQL"}`,
    "",
    `${date.slice(0, 10)}, ${machine.cpu}, ${machine.cores} cores, ${machine.memoryGiB} GiB, ${machine.system}, load average ${machine.loadBefore.toFixed(1)} before the run; Node ${node}; the product at ${product}.`,
    pinning,
    `Each contender had ${settings.rounds} turn${settings.rounds === 1 ? "" : "s"} of ${settings.seconds} s; the numbers are medians. × is the ratio to the product's number: the median of`,
    "the turns' ratios, each to the product's turns right before and after. The spread is the range of these ratios, followed",
    `by its width relative to the median. ${MARK_MEANS}`,
    ...(settings.runs > 1
      ? [`All workloads ran ${settings.runs} times; each number is from the run with the median ratio.`]
      : []),
    `[How it is measured](../README.md). The run took ${Math.round(minutes)} minutes.`,
    "",
  ];
  if (workloads.length > 0) {
    const connections = String(settings.connections[0]);
    lines.push(
      `![Throughput relative to the product](${chart})`,
      "",
      `## Compared with the product, ${connections} connections`,
      "",
      "Requests/s, and the server's CPU time per request, which varies less. In the last rows, all callers request the same",
      "data.",
      "",
      ...summary(workloads, connections),
      "",
      ...markdownTable([
        ["contender", "description", "packages"],
        ...contenders.map(({ name, title, versions }) => [
          name,
          title,
          Object.entries(versions)
            .map(([name, version]) => `${name} ${version}`)
            .join(", "),
        ]),
      ]),
      "",
    );
  }
  for (const { title, results } of workloads) {
    lines.push(`## ${title}`, "");
    for (const [connections, each] of Object.entries(results))
      lines.push(...markdownTable(rowsOf(`${connections} connections`, each)), "");
  }
  for (const [name, result] of Object.entries(sections)) {
    for (const { title, rows, note } of sectionTables(name, result))
      lines.push(`## ${title}`, "", ...markdownTable(rows), "", ...(note ? [note, ""] : []));
  }
  return lines.join("\n");
}
