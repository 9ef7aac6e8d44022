// Preloaded by processes whose clock is ahead by the number of milliseconds in a file.
const { readFileSync } = require("node:fs");

const INTERVAL_MS = 20;
const RealDate = Date;
let aheadMs = 0;

function read() {
  try {
    aheadMs = Number(readFileSync(process.env.CLOCK_FILE, "utf8")) || aheadMs;
  } catch {
    // The file has not been written yet.
  }
}

globalThis.Date = class extends RealDate {
  constructor(...args) {
    if (args.length === 0) super(RealDate.now() + aheadMs);
    else super(...args);
  }

  static now() {
    return RealDate.now() + aheadMs;
  }
};

read();
setInterval(read, INTERVAL_MS).unref();
