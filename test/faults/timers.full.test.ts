import { join } from "node:path";
import { expectNoFaults } from "../support/modules";

const TIMERS = join(__dirname, "timers.mjs");

jest.setTimeout(300_000);

test.each(["sqlite", "postgres"])(
  "on %s, each timer that is due while processes are killed fires once",
  async (engine) => {
    await expectNoFaults(
      [TIMERS, "--engine", engine, "--processes", "2", "--kills", "2", "--expire-leases"],
      { faults: ["lost", "not fired", "fired twice", "not sent once"], counts: ["fired"] },
    );
  },
);
