import { join } from "node:path";
import { testFaultsOnEach } from "../support/modules";

const CRASH = join(__dirname, "crash.mjs");

const FAULTS = ["lost", "doubled", "half", "other faults"];

testFaultsOnEach(
  "answered writes survive kills under load, each complete and stored once",
  [CRASH, "--only", "writes", "--kills", "3", "--expire-leases"],
  { faults: FAULTS, counts: ["answered", "decisions"], says: [/^kills +3 /m] },
);

const SENDS = ["--only", "sends", "--kills", "1", "--conversations", "20", "--messages", "5"];

testFaultsOnEach(
  "messages arrive once and in order at webhooks even if their senders are killed",
  [CRASH, ...SENDS, "--freeze-seconds", "0", "--expire-leases"],
  { faults: FAULTS, says: [/^webhooks +100 messages /m, /both 1,/] },
);
