import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { describe, test } from "node:test";
import { restApi } from "./apis.mjs";
import { encodeRequest, keepBusy } from "./load/connection.mjs";
import { ResponseReader } from "./load/response-reader.mjs";
import { byFunction, byPackage } from "./profile-tree.mjs";
import { median, pairedRatios, summarize, turns } from "./stats.mjs";

describe("the reader of answers", () => {
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

  test("finds the end of each answer wherever the bytes were cut, and one answer after the other", () => {
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

  test("keeps what it was given, even when the buffer is used again", () => {
    const reader = new ResponseReader(1);
    const buffer = Buffer.from("HTTP/1.1 200 OK\r\nContent-");
    assert.equal(reader.push(buffer), false);
    buffer.fill(0);
    assert.equal(reader.push(Buffer.from("Length: 1\r\n\r\n[")), true);
  });

  test("refuses what is no answer, goes on after its end, ends the connection, or has no length", () => {
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

describe("a connection of the load", () => {
  /** A server with its port, for as long as the work takes. */
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
  /** Sends some requests over one connection. @returns how many were answered */
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

  test("sends every request once, whole, one after the other", async () => {
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

  test("fails at an answer with another status or beginning, and when the server hangs up", async () => {
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
  test("a median is the middle, or the mean of the two in the middle", () => {
    assert.equal(median([3, 1, 2]), 2);
    assert.equal(median([4, 1, 3, 2]), 2.5);
    assert.equal(median([]), undefined);
    assert.equal(median([1, undefined, 3]), undefined);
  });

  test("the reference has its turn before, between and after all others", () => {
    assert.deepEqual(turns("p", ["a", "b"], 2), ["p", "a", "p", "b", "p", "a", "p", "b", "p"]);
    assert.deepEqual(turns("p", [], 3), ["p", "p", "p"]);
  });

  test("a ratio is against the mean of the two turns beside it, so that a machine that slows down cancels out", () => {
    const speeds = { p: 100, a: 50, b: 200 };
    // Each turn finds the machine a little slower than the one before.
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

  test("what could not be measured is left out", () => {
    const results = turns("p", ["a"], 1).map((name) => ({ name, values: { p50: 1, cpu: undefined } }));
    const { a } = summarize("p", results);
    assert.deepEqual(a.median, { p50: 1 });
    assert.deepEqual(a.ratio, { p50: 1 });
  });
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

  test("counts a function's own time wherever it was called from, most first, without idling", () => {
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

  test("sums it up by package, the product by folder", () => {
    assert.deepEqual(byPackage(byFunction(PROFILE)), [
      { name: "graphql", self: 90 },
      { name: "src/rest", self: 10 },
    ]);
  });
});

test("an API reads the cursor of the next page out of the Link header", () => {
  const link = '</v1/pets?limit=20&cursor=cGV0OjIwOjFhYg>; rel="next"';
  assert.deepEqual(restApi.answer({ kind: "list" }, { status: 200, link, body: [] }), {
    status: 200,
    body: [],
    next: "cGV0OjIwOjFhYg",
  });
});
