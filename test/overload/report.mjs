const round = (number, unknown = "-") => {
  if (number === undefined || Number.isNaN(number)) return unknown;
  return String(Math.abs(number) >= 100 ? Math.round(number) : Math.round(number * 10) / 10);
};

const counts = (answers) =>
  Object.entries(answers)
    .map(([status, times]) => `${times} × ${status === "0" ? "no answer" : status}`)
    .join(", ") || "none read";

const steps = (...numbers) => numbers.map((number) => round(number)).join(" → ");

/** Column headings → cells. Values before an arrow were measured before the attack. */
const COLUMNS = {
  attack: ({ name }) => name,
  database: ({ engine }) => engine,
  "attack: requests or connections; answers": ({ totals }) => `${totals.sent}; ${counts(totals.answers)}`,
  "client: ok, 4xx, 5xx, unanswered": ({ figures }) =>
    [figures.clientOk, figures.clientRejected, figures.clientFailed, figures.clientUnanswered].join(", "),
  "p50, ms": ({ figures }) => steps(figures.quietP50Ms, figures.p50Ms),
  "p99, ms": ({ figures }) => steps(figures.quietP99Ms, figures.p99Ms),
  "memory, MiB (before → peak → after)": ({ figures }) =>
    steps(figures.quietMebibytes, figures.peakMebibytes, figures.leftMebibytes),
  "open files (before → peak → after)": ({ figures }) =>
    steps(figures.quietOpenFiles, figures.peakOpenFiles, figures.quietOpenFiles + figures.openFilesLeft),
  "peak in flight": ({ figures }) => round(figures.peakInFlight),
  "CPU, s (+ PostgreSQL's; of s)": ({ figures }) =>
    `${round(figures.cpuSeconds)} (+ ${round(figures.databaseCpuSeconds)}; ${round(figures.observedSeconds)})`,
  "CPU per attack request, ms": ({ figures }) => round(figures.attackCpuMs),
  "recovery, ms": ({ figures, ending }) =>
    ending === undefined ? round(figures.recoveryMs, "not in time") : `server ended: ${ending}`,
  "other figures": ({ own }) =>
    Object.entries(own)
      .map(([name, value]) => `${name} ${round(value)}`)
      .join(", ") || "-",
  "within bounds": ({ broken }) => (broken.length === 0 ? "yes" : "**no**"),
};

/** Returns one line for the terminal while other attacks are still running. */
export const reportLine = (result) =>
  `${result.broken.length === 0 ? "ok    " : "BROKEN"} ${Object.entries(COLUMNS)
    .slice(0, -1)
    .map(([heading, cell], i) => (i < 2 ? cell(result) : `\n         ${heading}: ${cell(result)}`))
    .join(" ")}${result.broken.map((line) => `\n       ! ${line}`).join("")}`;

export function markdownTable(results) {
  const headings = Object.keys(COLUMNS);
  const rows = results.map((result) => Object.values(COLUMNS).map((cell) => cell(result)));
  const line = (cells) => `| ${cells.join(" | ")} |`;
  return [line(headings), line(headings.map(() => "---")), ...rows.map(line)].join("\n");
}
