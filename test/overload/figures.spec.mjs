import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { brokenBounds, clientFigures, last, most, percentile, recoveryMs } from "./figures.mjs";

/**
 * Returns requests that are due every 10 ms.
 * @param outcomes `[status, ms]` of each request; undefined if there was no response
 */
const requestsOf = (...outcomes) =>
  outcomes.map((outcome, i) => ({ at: i * 10, ...(outcome && { status: outcome[0], ms: outcome[1] }) }));
const repeat = (times, outcome) => Array(times).fill(outcome);

describe("the figures of an attack", () => {
  test("count a client's requests that were due in the period, by kind of response", () => {
    const requests = requestsOf([200, 1], [201, 2], [404, 3], [503, 4], [0, 5], undefined, [500, 6]);
    const { p50, p99, ...counts } = clientFigures(requests, 10, 60);
    assert.deepEqual(counts, { ok: 1, rejected: 1, failed: 1, unanswered: 2 });
    assert.equal(p50, 4);
    // A request without a response counts as having waited until the end of the period.
    assert.equal(p99, 10);
  });

  test("include percentiles by nearest rank", () => {
    const values = Array.from({ length: 200 }, (_, i) => 200 - i);
    assert.deepEqual(
      [50, 99, 100].map((percent) => percentile(values, percent)),
      [100, 198, 200],
    );
    assert.equal(percentile([], 50), undefined);
  });

  test("show a recovery from the first of twenty good and prompt responses in a row", () => {
    const requests = requestsOf(
      ...repeat(30, [200, 1]),
      [503, 1],
      ...repeat(19, [200, 1]),
      [200, 300],
      ...repeat(20, [200, 250]),
    );
    assert.equal(recoveryMs(requests, 300, 250), 210);
    assert.equal(recoveryMs(requests, 0, 250), 0);
    assert.equal(recoveryMs(requests.slice(0, -1), 300, 250), undefined);
    assert.equal(recoveryMs([...requests.slice(0, 55), {}, ...requests.slice(56)], 300, 250), undefined);
  });

  test("include the max in a period, and the last sample before a time", () => {
    const samples = [
      { at: 0, memory: 9 },
      { at: 1, memory: 3 },
      { at: 2, memory: 5 },
      { at: 3 },
      { at: 4, memory: 1 },
    ];
    assert.equal(most(samples, "memory", 1, 4), 5);
    assert.equal(most(samples, "memory", 3, 4), undefined);
    assert.equal(last(samples, "memory", 4), 5);
  });

  test("break a bound if they exceed it or were not measured", () => {
    const expect = { failed: 0, memory: 100, recovery: 10 };
    assert.deepEqual(brokenBounds({ failed: 0, memory: 100, recovery: 3 }, expect), []);
    assert.deepEqual(brokenBounds({ failed: 1, memory: Number.NaN }, expect), [
      "failed is 1, expected at most 0",
      "memory is unknown, expected at most 100",
      "recovery is unknown, expected at most 10",
    ]);
  });
});
