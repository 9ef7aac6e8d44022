import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { describe, test } from "node:test";
import { Worker } from "node:worker_threads";
import { restApi } from "./apis.mjs";
import { encodeRequest, keepBusy } from "./load/connection.mjs";
import { ResponseReader } from "./load/response-reader.mjs";
import { readOptions } from "./options.mjs";
import { coresIn, halvesOf } from "./pinning.mjs";
import { cpuMicros } from "./process-usage.mjs";
import { byFunction, byPackage } from "./profile-tree.mjs";
import { mark, spreadText } from "./report/format.mjs";
import { median, middleRun, pairedRatios, summarize, turns } from "./stats.mjs";

describe("the response reader", () => {
  const lines = (...text) => text.join("\r\n");
  const ANSWERS = [
    {
      status: 200,
      begins: '[{"id"',
      wire: lines(
        "HTTP/1.1 200 OK",
        "content-type: application/json",
        "Content-Length: 10",
        "",
        '[{"id":1}]',
      ),
    },
    { status: 204, begins: "", wire: lines("HTTP/1.1 204 No Content", "content-length: 0", "", "") },
    {
      status: 201,
      begins: '{"data',
      wire: lines(
        "HTTP/1.1 201 Created",
        "Transfer-Encoding: chunked",
        "",
        "3;note=1",
        '{"d',
        "a",
        'ata":1234}',
        "0",
        "trailer: x",
        "",
        "",
      ),
    },
  ];

  test("finds the end of each response wherever the bytes are split, and reads one response after the other", () => {
    for (const { status, begins, wire } of ANSWERS) {
      const bytes = Buffer.from(wire);
      for (let first = 1; first < bytes.length; first++) {
        for (let second = first + 1; second <= bytes.length; second++) {
          const reader = new ResponseReader(6);
          for (let again = 0; again < 2; again++) {
            const parts = [bytes.subarray(0, first), bytes.subarray(first, second), bytes.subarray(second)];
            const done = parts
              .filter((part) => part.length > 0)
              .map((part) => reader.push(Buffer.from(part)));
            assert.deepEqual(done, [...Array(done.length - 1).fill(false), true], wire);
            assert.equal(reader.status, status);
            assert.equal(reader.begins, begins);
          }
        }
      }
    }
  });

  test("keeps the bytes that it was given, even when the buffer is reused", () => {
    const reader = new ResponseReader(1);
    const buffer = Buffer.from("HTTP/1.1 200 OK\r\nContent-");
    assert.equal(reader.push(buffer), false);
    buffer.fill(0);
    assert.equal(reader.push(Buffer.from("Length: 1\r\n\r\n[")), true);
  });

  test("rejects a response that is malformed, continues after its end, ends the connection, or has no length", () => {
    for (const wire of [
      lines("HTTP/1.0 200 OK", "content-length: 0", "", ""),
      lines("HTTP/1.1 200 OK", "content-length: 1", "", "[]"),
      lines("HTTP/1.1 200 OK", "connection: close", "content-length: 0", "", ""),
      lines("HTTP/1.1 200 OK", "", "text"),
      lines("HTTP/1.1 200 OK", "transfer-encoding: chunked", "", "x", ""),
      lines("HTTP/1.1 200 OK", "transfer-encoding: chunked", "", "1", "ab", "", ""),
    ]) {
      assert.throws(() => new ResponseReader(0).push(Buffer.from(wire)), Error, wire);
    }
  });
});

describe("a connection of the load generator", () => {
  /** Runs a server for the duration of `work`, and passes its port to `work`. */
  const serving = async (handle, work) => {
    const server = createServer(handle).listen(0, "127.0.0.1");
    await once(server, "listening");
    try {
      return await work(server.address().port);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  };
  /**
   * Sends some requests over one connection.
   * @returns the number of responses
   */
  const sending = async (port, count, request) => {
    const bytes = encodeRequest(request, "key", "127.0.0.1");
    let [sent, answered] = [0, 0];
    const next = () => (sent++ < count ? { bytes, ...request } : undefined);
    await keepBusy(port, next, (milliseconds) => {
      assert.ok(milliseconds > 0);
      answered++;
    });
    return answered;
  };

  test("sends every request completely and once, one after the other", async () => {
    const seen = [];
    const handle = async (request, response) => {
      let body = "";
      for await (const chunk of request) body += chunk;
      seen.push(`${request.method} ${request.url} ${request.headers.authorization} ${body}`);
      response.writeHead(201).end('{"id":1}');
    };
    const request = {
      method: "POST",
      path: "/v1/pets",
      body: { name: "Řex" },
      status: 201,
      begins: '{"id":',
    };
    assert.equal(await serving(handle, (port) => sending(port, 5, request)), 5);
    assert.deepEqual(seen, Array(5).fill('POST /v1/pets Bearer key {"name":"Řex"}'));
  });

  test("fails if a response has an unexpected status or start, or if the server hangs up", async () => {
    const request = { method: "GET", path: "/", status: 200, begins: '{"data":{' };
    const failing = [
      [(_, response) => response.writeHead(500).end('{"data":{}}'), /answered 500/],
      [(_, response) => response.end('{"data":null}'), /answered 200 {"data":null/],
      [({ socket }) => socket.destroy(), /ended a connection|ECONNRESET/],
    ];
    for (const [handle, message] of failing)
      await serving(handle, (port) => assert.rejects(sending(port, 1, request), message));
  });
});

describe("the statistics", () => {
  test("a median is the middle number, or the mean of the two middle numbers", () => {
    assert.equal(median([3, 1, 2]), 2);
    assert.equal(median([4, 1, 3, 2]), 2.5);
    assert.equal(median([]), undefined);
    assert.equal(median([1, undefined, 3]), undefined);
  });

  test("the reference runs before, between and after all others", () => {
    assert.deepEqual(turns("p", ["a", "b"], 2), ["p", "a", "p", "b", "p", "a", "p", "b", "p"]);
    assert.deepEqual(turns("p", [], 3), ["p", "p", "p"]);
  });

  test("a ratio compares a turn with the mean of the two turns next to it, so a slowing machine has no effect", () => {
    const speeds = { p: 100, a: 50, b: 200 };
    // The machine is a little slower in each turn than in the one before.
    const results = turns("p", ["a", "b"], 3).map((name, i) => ({
      name,
      values: { perSecond: speeds[name] * (1 - i / 100) },
    }));
    const { a, b } = pairedRatios("p", results);
    for (const ratio of a.perSecond) assert.ok(Math.abs(ratio - 0.5) < 1e-9, String(ratio));
    for (const ratio of b.perSecond) assert.ok(Math.abs(ratio - 2) < 1e-9, String(ratio));
    const summary = summarize("p", results);
    assert.equal(summary.p.ratio, undefined);
    assert.equal(summary.b.ratio.perSecond, median(b.perSecond));
    assert.equal(summary.a.rounds.length, 3);
  });

  /** Returns turns of a reference at 100 requests per second, and of a contender at these speeds. */
  const beside = (...speeds) => {
    const left = [...speeds];
    const speedOf = (name) => (name === "p" ? 100 : left.shift());
    return turns("p", ["a"], speeds.length).map((name) => ({ name, values: { perSecond: speedOf(name) } }));
  };

  test("a result has the median, the lowest and the highest of the ratios, whatever their order", () => {
    const { a, p } = summarize("p", beside(90, 200, 80, 85, 95));
    assert.equal(a.ratio.perSecond, 0.9);
    assert.deepEqual(a.spread.perSecond, [0.8, 2]);
    assert.equal(p.spread, undefined);
  });

  test("a spread above 15% of the median is marked, for throughput and CPU time alike", () => {
    const steady = { ratio: { cpu: 1 }, spread: { cpu: [0.95, 1.08] } };
    const unsteady = { ratio: { cpu: 1 }, spread: { cpu: [0.92, 1.08] } };
    assert.equal(spreadText(steady, "cpu"), "0.95 to 1.08, 13%");
    assert.equal(spreadText(unsteady, "cpu"), "0.92 to 1.08, 16%†");
    assert.deepEqual([mark(steady, "cpu"), mark(unsteady, "cpu")], ["", "†"]);
    assert.equal(spreadText({ median: { cpu: 1 } }, "cpu"), "");
  });

  test("of several runs, each number and its spread are from the run with the median ratio", () => {
    const run = (perSecond, cpu) => ({
      p: { median: { perSecond: perSecond * 1000, cpu: 10 }, rounds: [{ perSecond }] },
      a: {
        median: { perSecond: perSecond * 500, cpu: cpu * 10 },
        ratio: { perSecond, cpu },
        spread: { perSecond: [perSecond, perSecond], cpu: [cpu, cpu] },
        rounds: [{ perSecond }],
      },
    });
    const { a, p } = middleRun([run(3, 0.2), run(1, 0.3), run(2, 0.1)]);
    assert.deepEqual(a.ratio, { perSecond: 2, cpu: 0.2 });
    assert.deepEqual(a.median, { perSecond: 1000, cpu: 2 });
    assert.deepEqual(a.spread, { perSecond: [2, 2], cpu: [0.2, 0.2] });
    assert.deepEqual(a.runs.perSecond, [3, 1, 2]);
    assert.equal(a.rounds.length, 3);
    assert.equal(p.median.perSecond, 2000);
    assert.equal(p.ratio, undefined);
  });

  test("a single run is returned unchanged", () => {
    const run = summarize("p", beside(90, 80));
    assert.equal(middleRun([run]), run);
  });

  test("measures without a result are omitted", () => {
    const results = turns("p", ["a"], 1).map((name) => ({ name, values: { p50: 1, cpu: undefined } }));
    const { a } = summarize("p", results);
    assert.deepEqual(a.median, { p50: 1 });
    assert.deepEqual(a.ratio, { p50: 1 });
    assert.deepEqual(middleRun([1, 2, 3].map(() => summarize("p", results))).a.ratio, { p50: 1 });
  });
});

describe("the options", () => {
  test("a spread needs five rounds, and a median run needs an odd number of runs", () => {
    assert.equal(readOptions([]).rounds, 5);
    assert.equal(readOptions([]).runs, 1);
    assert.deepEqual(
      [[], ["--unpinned"]].map((args) => readOptions(args).pinned),
      [true, false],
    );
    assert.equal(readOptions(["--quick", "--rounds", "2"]).rounds, 2);
    assert.throws(() => readOptions(["--rounds", "4"]), /--rounds must be 5 or more/);
    assert.throws(() => readOptions(["--runs", "2"]), /--runs must be an odd number/);
  });

  test("results start with the workloads whose requests differ between callers", () => {
    const { workloads } = readOptions([]);
    assert.deepEqual(workloads.slice(0, 2), ["rest-pages", "rest-mixed"]);
    assert.deepEqual(workloads.slice(-2), ["rest-list", "graphql-list"]);
  });

  test("contenders that do the same work are next to contenders that do not", () => {
    const names = readOptions([]).contenders.map(({ name }) => name);
    for (const name of ["floor", "mercurius"])
      assert.equal(names[names.indexOf(name) + 1], `${name}-same-work`);
  });
});

describe("the cores", () => {
  test("servers get one half, everything else the other", () => {
    assert.deepEqual(coresIn("0-2,5"), [0, 1, 2, 5]);
    assert.deepEqual(halvesOf([0, 1]), { servers: "0", others: "1" });
    assert.deepEqual(halvesOf([0, 1, 2]), { servers: "0", others: "1,2" });
  });

  test("threads of one core stay on the same side", () => {
    assert.deepEqual(
      halvesOf([0, 1, 2, 3], (core) => core % 2),
      { servers: "0,2", others: "1,3" },
    );
  });

  test("a single core is not divided", () => {
    assert.equal(halvesOf([3]), undefined);
  });
});

test("CPU time includes all threads of a process", { skip: process.platform !== "linux" }, async () => {
  const [before, used] = [cpuMicros(process.pid), process.cpuUsage()];
  const spin = `
    const { parentPort, workerData } = require("node:worker_threads");
    while (process.cpuUsage(workerData).user < 100_000);
    parentPort.on("message", () => parentPort.close()).postMessage("done");`;
  const worker = new Worker(spin, { eval: true, workerData: used });
  await once(worker, "message");
  const micros = cpuMicros(process.pid) - before;
  worker.postMessage("end");
  await once(worker, "exit");
  assert.ok(micros > 90_000, String(micros));
});

describe("the profile", () => {
  const frame = (functionName, url) => ({ functionName, url, lineNumber: 9 });
  const PROFILE = {
    nodes: [
      { id: 1, callFrame: frame("(root)", ""), children: [2, 5] },
      { id: 2, callFrame: frame("handle", "file:///app/dist/src/rest/runner.js"), children: [3, 4] },
      { id: 3, callFrame: frame("execute", "/app/node_modules/graphql/execute.js") },
      { id: 4, callFrame: frame("query", "/app/node_modules/@scope/driver/index.js"), children: [6] },
      { id: 5, callFrame: frame("(idle)", "") },
      { id: 6, callFrame: frame("execute", "/app/node_modules/graphql/execute.js") },
    ],
    samples: [2, 3, 5, 6, 6],
    timeDeltas: [0, 10, 20, 1000, 30, 40],
  };

  test("lists functions by self time from all callers, longest first, without idle time", () => {
    const functions = byFunction(PROFILE);
    assert.deepEqual(
      functions.map(({ name, self }) => [name, self]),
      [
        ["execute graphql/execute.js:10", 90],
        ["handle src/rest/runner.js:10", 10],
      ],
    );
    assert.deepEqual(functions[0].callers, [
      "query @scope/driver/index.js:10",
      "handle src/rest/runner.js:10",
    ]);
  });

  test("sums self time by package, and the product's by folder", () => {
    assert.deepEqual(byPackage(byFunction(PROFILE)), [
      { name: "graphql", self: 90 },
      { name: "src/rest", self: 10 },
    ]);
  });
});

test("an API reads the cursor of the next page from the Link header", () => {
  const link = '</v1/pets?limit=20&cursor=cGV0OjIwOjFhYg>; rel="next"';
  assert.deepEqual(restApi.answer({ kind: "list" }, { status: 200, link, body: [] }), {
    status: 200,
    body: [],
    next: "cGV0OjIwOjFhYg",
  });
});
