import { join } from "node:path";
import { testFaultsOnEach } from "../support/modules";

testFaultsOnEach(
  "each timer that is due while processes are killed fires once",
  [join(__dirname, "timers.mjs"), "--processes", "2", "--kills", "2", "--expire-leases"],
  { faults: ["lost", "not fired", "fired twice", "not sent once"], counts: ["fired"] },
);
