const MAX_SHOWN = 20;

/**
 * Prints the counts and the faults of a run.
 * @returns true if there were no faults
 */
export function printReport(history, { engine, seed, seconds }) {
  const { writes, kills, retries, slowestDeliveryMs, sends, events, endpoint, violations, isSound } = history;
  const count = (outcome) => writes.filter((write) => write.first === outcome).length;
  const decisions = (outcome) =>
    writes.filter(({ kind, first }) => kind === "decide" && first === outcome).length;
  const all = Object.values(kills).reduce((sum, n) => sum + n, 0);
  const rows = {
    database: engine,
    seed,
    kills: `${all} (under load ${kills.load}, of a second process ${kills.peer}, at a start ${kills.start}, at a first start ${kills.birth}, of the database ${kills.database})`,
    "writes sent": writes.length,
    answered: count("answered"),
    decisions: `${decisions("answered")} answered, ${decisions("unavailable")} unavailable, ${decisions("unanswered")} unanswered`,
    unavailable: count("unavailable"),
    unanswered: count("unanswered"),
    retries,
    recovery: `${(slowestDeliveryMs / 1000).toFixed(1)} s at most until all messages were delivered`,
    webhooks: `${sends.messages} messages in ${sends.requests} requests, ${sends.repeats} of them repeats; ${sends.uncertain} given up as uncertain`,
    "while sending": `kills ${Object.entries(sends.kills)
      .map(([sort, n]) => `${sort} ${n}`)
      .join(
        ", ",
      )}; ${sends.takeovers} messages taken over after ${(sends.slowestTakeoverMs / 1000).toFixed(1)} s at most`,
    events: `${events}, ${endpoint.events} of them at a webhook endpoint in ${endpoint.requests} requests, ${endpoint.repeats} of them repeats`,
    lost: violations.lost.size,
    doubled: violations.doubled.size,
    half: violations.half.size,
    "other faults": violations.other.size,
    seconds: seconds.toFixed(1),
  };
  for (const [name, value] of Object.entries(rows)) console.log(`${name.padEnd(14)}${value}`);
  console.log();
  for (const [sort, found] of Object.entries(violations)) {
    for (const what of [...found].slice(0, MAX_SHOWN)) console.log(`${sort}: ${what}`);
  }
  return isSound;
}
