import { join } from "node:path";
import { expectNoFaults } from "../support/modules";

const POLICY = join(__dirname, "policy.mjs");

jest.setTimeout(300_000);

test.each(["sqlite", "postgres"])(
  "on %s, killed processes send nothing outside of windows, beyond caps, out of order or after an opt-out",
  async (engine) => {
    await expectNoFaults([POLICY, "--engine", engine, "--processes", "2", "--rounds", "4", "--agents", "2"], {
      faults: ["outside a window", "over a cap", "out of order", "too late", "opted out"],
      counts: ["sent", "held by windows", "opt-outs"],
    });
  },
);
