import { markdownTable, plainTable, threeDigits, times, whole } from "./format.mjs";
import { sectionTables } from "./sections.mjs";

const COLUMNS = [
  ["requests/s", ({ median }) => whole(median.perSecond)],
  ["× product", ({ ratio }) => times(ratio ? ratio.perSecond : 1)],
  ["p50 ms", ({ median }) => threeDigits(median.p50)],
  ["p99 ms", ({ median }) => threeDigits(median.p99)],
  ["p99.9 ms", ({ median }) => threeDigits(median.p999)],
  ["CPU µs/request", ({ median }) => whole(median.cpu)],
  ["× product", ({ ratio }) => times(ratio ? ratio.cpu : 1)],
  ["peak MiB", ({ median }) => whole(median.memory)],
  ["× product", ({ ratio }) => times(ratio ? ratio.memory : 1)],
];

const DATABASE_CPU = ["database CPU µs", ({ median }) => whole(median.databaseCpu)];

function rowsOf(first, results) {
  const known = Object.values(results).some(({ median }) => median.databaseCpu !== undefined);
  const columns = known ? [...COLUMNS, DATABASE_CPU] : COLUMNS;
  return [
    [first, ...columns.map(([name]) => name)],
    ...Object.entries(results).map(([name, result]) => [name, ...columns.map(([, show]) => show(result))]),
  ];
}

/** A workload's results for a terminal. */
export const workloadText = ({ title, results }) =>
  Object.entries(results)
    .map(([connections, each]) =>
      ["", `${title}, ${connections} connections`, ...plainTable(rowsOf("", each))].join("\n"),
    )
    .join("\n");

/** A section's results for a terminal. */
export const sectionText = (name, result) =>
  sectionTables(name, result)
    .map(({ title, rows, note }) => ["", title, ...plainTable(rows), ...(note ? [note] : [])].join("\n"))
    .join("\n");

/** One line a workload: throughput and CPU time of all contenders next to the product. */
function summary(workloads, connections) {
  const names = [...new Set(workloads.flatMap(({ results }) => Object.keys(results[connections] ?? {})))];
  const cell = (result) =>
    result === undefined
      ? ""
      : result.ratio === undefined
        ? `${whole(result.median.perSecond)}/s, ${whole(result.median.cpu)} µs`
        : `${times(result.ratio.perSecond)}, CPU ${times(result.ratio.cpu)}`;
  return markdownTable([
    ["", ...names],
    ...workloads.map(({ title, results }) => [
      title,
      ...names.map((name) => cell(results[connections]?.[name])),
    ]),
  ]);
}

/** Everything as a Markdown page. @param chart file name of the chart */
export function markdownPage({ circumstances, workloads, sections, minutes }, chart) {
  const { date, engine, machine, node, product, contenders, settings } = circumstances;
  const lines = [
    `# Measured on ${engine === "sqlite" ? "SQLite" : "PostgreSQL"}`,
    "",
    `${date.slice(0, 10)}, ${machine.cpu}, ${machine.cores} cores, ${machine.memoryGiB} GiB, ${machine.system}, load ${machine.loadBefore.toFixed(1)} before; Node ${node}; the product at ${product}.`,
    `Each contender had ${settings.rounds} turn${settings.rounds === 1 ? "" : "s"} of ${settings.seconds} s; medians. × is how many times the product's, against its`,
    `turns right before and after. [How](../README.md). It took ${Math.round(minutes)} minutes.`,
    "",
  ];
  if (workloads.length > 0) {
    const connections = String(settings.connections[0]);
    lines.push(
      `![throughput next to the product](${chart})`,
      "",
      `## Next to the product, ${connections} connections`,
      "",
      "Requests/s and CPU time of the server for a request.",
      "",
      ...summary(workloads, connections),
      "",
      ...markdownTable([
        ["contender", "what it is", "packages"],
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
