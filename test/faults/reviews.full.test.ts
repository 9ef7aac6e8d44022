import { join } from "node:path";
import { testFaultsOnEach } from "../support/modules";

testFaultsOnEach(
  "proposed messages are sent once and as approved, even while processes are killed",
  [join(__dirname, "reviews.mjs"), "--processes", "2", "--rounds", "24"],
  { faults: ["sent twice", "sent, not approved", "another text", "no end"], counts: ["sent"] },
);
