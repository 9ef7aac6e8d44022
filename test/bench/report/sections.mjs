import { threeDigits, times, whole } from "./format.mjs";

/** A section's results as tables: `{ title, rows, note }`. */
export const sectionTables = (name, result) => [TABLES[name](result)].flat();

const TABLES = {
  delivery: ({ connections, sending: { off, on }, behindMs, count, median, p99 }) => ({
    title: "POST /messages with delivery",
    rows: [
      ["", "off", "on", "×"],
      ["requests/s", whole(off.median.perSecond), whole(on.median.perSecond), times(on.ratio.perSecond)],
      ["p99 ms", threeDigits(off.median.p99), threeDigits(on.median.p99), times(on.ratio.p99)],
      ["CPU µs/request", whole(off.median.cpu), whole(on.median.cpu), times(on.ratio.cpu)],
    ],
    note: `${connections} connections. A message sent right after the load was delivered after ${behindMs} ms; of ${count} on an idle server half within ${median} ms and 99 % within ${p99} ms.`,
  }),
  flat({ size, activeKeys, connections, results }) {
    const rows = results.map((result) => {
      const [[, from], [, to]] = ["small", "large"].some((name) => name in result)
        ? [
            ["small", result.small],
            ["large", result.large],
          ]
        : [
            ["first", result.first],
            ["last", result.last],
          ];
      return [
        result.title,
        threeDigits(from.median.p50),
        threeDigits(to.median.p50),
        times(to.ratio.p50),
        whole(from.median.cpu),
        whole(to.median.cpu),
        times(to.ratio.cpu),
      ];
    });
    return {
      title: `${whole(size.large.pets)} pets and ${whole(size.large.keys)} keys next to ${whole(size.small.pets)} and ${whole(size.small.keys)}`,
      rows: [["", "p50 ms", "large", "×", "CPU µs", "large", "×"], ...rows],
      note: `${connections} connections, ${whole(activeKeys)} keys in use on both unless stated otherwise. The last line has the last page of the large one next to its first.`,
    };
  },
  start: ({ times: runs, ms, nodeMs, idleSeconds, idleMemory }) => ({
    title: "Start on an existing database",
    rows: [
      ["", "median", "least", "most"],
      ["to the first answer, ms", whole(ms.median), whole(ms.least), whole(ms.most)],
      ["of it Node itself, ms", whole(nodeMs), "", ""],
      [`resident after ${idleSeconds} s idle, MiB`, whole(idleMemory), "", ""],
    ],
    note: `${runs} starts.`,
  }),
  memory: ({ samples, heapGrowth, residentGrowth }) => ({
    title: "Memory over the requests",
    rows: [
      ["requests", "heap in use, MiB", "external, MiB", "resident, MiB"],
      ...samples.map(({ requests, heap, external, resident }) => [
        whole(requests),
        heap.toFixed(1),
        external.toFixed(1),
        whole(resident),
      ]),
    ],
    note: `Each after a full collection. Over the second half the heap grew by ${heapGrowth.toFixed(1)} MiB, the resident memory by ${residentGrowth.toFixed(0)} MiB.`,
  }),
  commit: ({ commits, median, p99 }) => ({
    title: "One durable commit on this disk",
    rows: [
      ["", "median µs", "p99 µs"],
      ["INSERT of one row, WAL, synchronous FULL", whole(median), whole(p99)],
    ],
    note: `${commits} commits, one after the other.`,
  }),
};
