/** Milliseconds on a clock that all threads of the process share. */
export const now = () => performance.timeOrigin + performance.now();

/** Number of good and prompt responses in a row (half a second's worth) that show that a server has recovered. */
const RECOVERED_REQUESTS = 20;

const isGood = ({ status }) => status >= 200 && status < 300;

const within = (records, from, to) => records.filter(({ at }) => at >= from && at < to);

/** Returns a percentile of values (nearest rank); undefined if there are none. */
export function percentile(values, percent) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)];
}

/**
 * Summarizes a client's requests that were due in a period.
 * @param requests requests, ordered by due time; a request without a status got no response
 */
export function clientFigures(requests, from, to) {
  const due = within(requests, from, to);
  const counts = { ok: 0, rejected: 0, failed: 0, unanswered: 0 };
  for (const { status = 0 } of due) {
    if (status === 0) counts.unanswered++;
    else if (status >= 500) counts.failed++;
    else if (status >= 300) counts.rejected++;
    else counts.ok++;
  }
  const waits = due.map(({ at, ms }) => ms ?? to - at);
  return { ...counts, p50: percentile(waits, 50), p99: percentile(waits, 99) };
}

/**
 * Returns the time until enough good and prompt responses in a row start.
 * @param soonMs max wait for a prompt response (ms)
 * @returns ms; undefined if there are not enough in a row
 */
export function recoveryMs(requests, from, soonMs) {
  let row = 0;
  let first = 0;
  for (const request of requests) {
    if (request.at < from) continue;
    if (isGood(request) && request.ms <= soonMs) {
      if (row++ === 0) first = request.at;
      if (row === RECOVERED_REQUESTS) return first - from;
    } else row = 0;
  }
  return undefined;
}

/** Returns the max of a figure in a period; undefined if it was not measured. */
export function most(samples, name, from, to) {
  const values = within(samples, from, to)
    .map((sample) => sample[name])
    .filter((value) => value !== undefined);
  return values.length === 0 ? undefined : Math.max(...values);
}

/** Returns the last known figure before a time. */
export const last = (samples, name, before) =>
  samples.findLast((sample) => sample.at < before && sample[name] !== undefined)?.[name];

/**
 * Compares figures with their bounds.
 * @param expect the max of each figure
 * @returns a line for each figure that exceeds its bound or was not measured
 */
export function brokenBounds(figures, expect) {
  return Object.entries(expect)
    .filter(([name, bound]) => !(figures[name] <= bound))
    .map(([name, bound]) => `${name} is ${format(figures[name])}, expected at most ${format(bound)}`);
}

const format = (number) =>
  number === undefined || Number.isNaN(number) ? "unknown" : String(Math.round(number * 100) / 100);
