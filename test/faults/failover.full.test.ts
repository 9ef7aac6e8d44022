import { existsSync } from "node:fs";
import { join } from "node:path";
import { expectNoFaults } from "../support/modules";
import { TIER } from "../support/tiers";

const FAILOVER = join(__dirname, "failover.mjs");

const { FAILOVER_ROUNDS = "2" } = process.env;

/** Debian's packages patroni, etcd-server, haproxy and postgresql. */
const isInstalled = ["/usr/bin/patroni", "/usr/bin/etcd", "/usr/sbin/haproxy", "/usr/lib/postgresql"].every(
  (path) => existsSync(path),
);

jest.setTimeout(1_800_000);

// Not in CI, because Patroni 3.0 itself sometimes takes minutes to recover on a busy machine.
(isInstalled && TIER === "all" ? test : test.skip)(
  "a synchronous standby takes over without losing a write, sending a message twice or accepting a revoked key",
  async () => {
    await expectNoFaults([FAILOVER, "--rounds", FAILOVER_ROUNDS, "--faults", "kill,cut"], {
      faults: ["lost", "doubled", "half", "other"],
      counts: ["answered", "keys revoked", "signed out", "presented"],
    });
  },
);
