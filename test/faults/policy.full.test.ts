import { join } from "node:path";
import { testFaultsOnEach } from "../support/modules";

testFaultsOnEach(
  "killed processes send nothing outside of windows, beyond caps, out of order or after an opt-out",
  [join(__dirname, "policy.mjs"), "--processes", "2", "--rounds", "8", "--agents", "4"],
  {
    faults: ["outside a window", "over a cap", "out of order", "too late", "opted out"],
    counts: ["sent", "held by windows", "opt-outs"],
  },
);
