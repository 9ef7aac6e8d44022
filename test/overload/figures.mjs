/** Milliseconds on a clock that all threads of the process share. */
export const now = () => performance.timeOrigin + performance.now();

/** How many answers in a row must be good and soon for the server to have recovered: half a second of them. */
const RECOVERED_REQUESTS = 20;

const isGood = ({ status }) => status >= 200 && status < 300;

const within = (records, from, to) => records.filter(({ at }) => at >= from && at < to);

/** The value below which that share of them lies (nearest rank); undefined for none. */
export function percentile(values, percent) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)];
}

/**
 * A client's results of the requests that were due in a span of time.
 * @param requests in the order in which they were due; one without a status was never answered
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
 * How long after a moment the first request was due from which on a row of them was answered well and soon.
 * @param soonMs the longest wait of an answer that is soon
 * @returns ms; undefined while there was no such row
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

/** The most of a figure in a span of time; undefined where it was not measured. */
export function most(samples, name, from, to) {
  const values = within(samples, from, to)
    .map((sample) => sample[name])
    .filter((value) => value !== undefined);
  return values.length === 0 ? undefined : Math.max(...values);
}

/** The last known figure before a moment. */
export const last = (samples, name, before) =>
  samples.findLast((sample) => sample.at < before && sample[name] !== undefined)?.[name];

/**
 * Holds figures against their bounds.
 * @param expect the most that each may be
 * @returns a line for each that is more, or that was not measured
 */
export function brokenBounds(figures, expect) {
  return Object.entries(expect)
    .filter(([name, bound]) => !(figures[name] <= bound))
    .map(([name, bound]) => `${name} is ${format(figures[name])}, expected at most ${format(bound)}`);
}

const format = (number) =>
  number === undefined || Number.isNaN(number) ? "unknown" : String(Math.round(number * 100) / 100);
