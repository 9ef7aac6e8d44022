import { spreadText, threeDigits, times, whole } from "./format.mjs";

/** Returns the results of a section as tables: `{ title, rows, note }`. */
export const sectionTables = (name, result) => [TABLES[name](result)].flat();

/** Formats microseconds per message as milliseconds. */
const perMessage = (micros) => (micros === undefined ? "–" : (micros / 1000).toFixed(2));

const TABLES = {
  delivery: ({ connections, sending: { off, on }, behindMs, count, median, p99 }) => ({
    title: "POST /messages with delivery",
    rows: [
      ["", "off", "on", "×"],
      ["requests/s", whole(off.median.perSecond), whole(on.median.perSecond), times(on.ratio.perSecond)],
      ["p99 ms", threeDigits(off.median.p99), threeDigits(on.median.p99), times(on.ratio.p99)],
      ["CPU µs/request", whole(off.median.cpu), whole(on.median.cpu), times(on.ratio.cpu)],
    ],
    note: `${connections} connections. A message sent right after the load was delivered after ${behindMs} ms. On an idle server, half of ${count} messages were delivered within ${median} ms, and 99% within ${p99} ms.`,
  }),
  events: ({ connections, rows, idle }) => ({
    title: "Events from their commit to Server-Sent Events",
    rows: [
      ["streams", "events/s", "events/s to all", "CPU µs for each", "median ms", "p99 ms"],
      ...rows.map(({ clients, stalled, perSecond, sentPerSecond, cpu, median, p99 }) => [
        stalled > 0 ? `${whole(clients)}, and ${whole(stalled)} that never read` : whole(clients),
        whole(perSecond),
        whole(sentPerSecond),
        cpu === undefined ? "–" : threeDigits(cpu),
        whole(median),
        whole(p99),
      ]),
    ],
    note: `Events per second while ${connections} connections queue messages as fast as they can, until all streams that read have received all events; the CPU time includes queueing the messages. Times were measured at a slow pace, from just before the commit. An idle stream uses ${(idle.heap / 1024).toFixed(1)} KiB of heap and external memory, measured with ${whole(idle.count)} streams.`,
  }),
  decisions({ connections, rounds, byRules, next, evaluation, hostile, contenders }) {
    const head = ["", "requests/s", "×", "spread", "CPU µs", "×", "spread", "database CPU µs", "p99 ms"];
    const row = ([name, { median, ratio, spread }]) => [
      name,
      whole(median.perSecond),
      times(ratio?.perSecond ?? 1),
      spreadText({ ratio, spread }, "perSecond"),
      whole(median.cpu),
      times(ratio?.cpu ?? 1),
      spreadText({ ratio, spread }, "cpu"),
      median.databaseCpu === undefined ? "–" : whole(median.databaseCpu),
      threeDigits(median.p99),
    ];
    const versions = contenders.map(
      ({ name, title, versions }) => `${name}: ${title} (${Object.entries(versions).flat().join(" ")})`,
    );
    return [
      {
        title: "Decisions by the number of rules",
        rows: [head, ...Object.entries(byRules).map(row)],
        note: `POST /agent/decisions that sends one message; ${connections} connections, ${rounds} rounds. × is relative to one rule.`,
      },
      ...next.map(({ rules, results }) => ({
        title: `Decisions by ${rules} ${rules === 1 ? "rule" : "rules"} compared with others`,
        rows: [head, ...Object.entries(results).map(row)],
        note: `All write the same rows. ${versions.join("; ")}.`,
      })),
      {
        title: "Evaluation only",
        rows: [["rules", "µs"], ...evaluation.map(({ rules, micros }) => [String(rules), whole(micros)])],
        note: "Conditions, texts and the explanation, without the database.",
      },
      {
        title: "Documents that try to keep the process busy",
        rows: [
          ["", "first ms", "median ms", "max ms", "too_expensive"],
          ...hostile.map(({ title, first, median, most, isStopped }) => [
            title,
            threeDigits(first),
            threeDigits(median),
            threeDigits(most),
            isStopped ? "yes" : "no",
          ]),
        ],
        note: "200 rules that all match, evaluated ten times each. An evaluation blocks the event loop for as long as it takes.",
      },
    ];
  },
  queues({ drain, flow, rounds, size, calm, concurrency, contenders }) {
    const rows = (results, more) =>
      Object.entries(results).map(([name, { median, ratio, spread }]) => [
        name,
        whole(median.perSecond),
        times(ratio ? ratio.perSecond : 1),
        spreadText({ ratio, spread }, "perSecond"),
        ...more(median),
      ]);
    const head = ["", "messages/s", "× webhook", "spread"];
    const versions = contenders
      .map(({ name, title, versions }) => `${name}: ${title} (${Object.entries(versions).flat().join(" ")})`)
      .join("; ");
    return [
      ...drain.map(({ workers, results }) => ({
        title: `A backlog of ${whole(size.backlog)} messages to 1,000 conversations, ${workers} workers`,
        rows: [
          [...head, "worker CPU ms", "database CPU ms"],
          ...rows(results, ({ cpu, databaseCpu }) => [perMessage(cpu), perMessage(databaseCpu)]),
        ],
        note: `Medians of ${rounds} rounds; CPU time per message.`,
      })),
      ...flow.map(({ workers, results }) => ({
        title: `Messages to 1,000 conversations from queueing to arrival, ${workers} workers`,
        rows: [
          [...head, `p50 ms at ${calm}/s`, "p99 ms"],
          ...rows(results, ({ p50, p99 }) => [threeDigits(p50), threeDigits(p99)]),
        ],
        note: `${concurrency} calls at a time. ${versions}.`,
      })),
    ];
  },
  flat({ size, activeKeys, connections, results, rows: operations }) {
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
    const requests = {
      title: `${whole(size.large.pets)} pets and ${whole(size.large.keys)} keys compared with ${whole(size.small.pets)} and ${whole(size.small.keys)}`,
      rows: [["", "p50 ms", "large", "×", "CPU µs", "large", "×"], ...rows],
      note: `${connections} connections; ${whole(activeKeys)} keys in use in both databases unless stated otherwise. The last row compares the last page of the large database with its first page.`,
    };
    const { small, large } = size;
    return [
      requests,
      {
        title: `${whole(large.conversations)} contacts, conversations and messages compared with ${whole(small.conversations)} of each`,
        rows: [
          ["", "CPU µs", "large", "×", "spread"],
          ...operations.map(({ title, small: from, large: to }) => [
            title,
            whole(from.median.cpu),
            whole(to.median.cpu),
            times(to.ratio.cpu),
            spreadText(to, "cpu"),
          ]),
        ],
        note: "CPU time of the gateway's code and the database together, without HTTP. The same number of rows is in use in both databases.",
      },
    ];
  },
  cost: ({ results }) => ({
    title: "The cost of a message in a conversation on PostgreSQL",
    rows: [
      ["", "statements", "transactions", "rows written", "WAL bytes", "full-page bytes", "CPU µs"],
      ...results.map(({ kind, title, ...each }) => [
        `${kind} line, ${title}`,
        each.statements.toFixed(1),
        each.transactions.toFixed(2),
        each.rows.toFixed(1),
        whole(each.walBytes),
        whole(each.fullPageBytes),
        whole(each.cpuMicros),
      ]),
    ],
    note: "From the request that queues it to its delivery, including the lookup of the request's key. CPU time covers all processes of the server.",
  }),
  start: ({ times: runs, ms, nodeMs, idleSeconds, idleMemory }) => ({
    title: "Start on an existing database",
    rows: [
      ["", "median", "min", "max"],
      ["time to the first response, ms", whole(ms.median), whole(ms.least), whole(ms.most)],
      ["Node alone, ms", whole(nodeMs), "", ""],
      [`resident memory after ${idleSeconds} s idle, MiB`, whole(idleMemory), "", ""],
    ],
    note: `${runs} starts.`,
  }),
  memory: ({ samples, heapGrowth, residentGrowth }) => ({
    title: "Memory by number of requests",
    rows: [
      ["requests", "heap in use, MiB", "external, MiB", "resident, MiB"],
      ...samples.map(({ requests, heap, external, resident }) => [
        whole(requests),
        heap.toFixed(1),
        external.toFixed(1),
        whole(resident),
      ]),
    ],
    note: `Measured after full garbage collections. Over the second half, the heap grew by ${heapGrowth.toFixed(1)} MiB, and resident memory by ${residentGrowth.toFixed(0)} MiB.`,
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
