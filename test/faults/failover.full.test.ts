import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

const FAILOVER = join(__dirname, "failover.mjs");

const { FAILOVER_ROUNDS = "2" } = process.env;

/** Debian's packages patroni, etcd-server, haproxy and postgresql. */
const isInstalled = ["/usr/bin/patroni", "/usr/bin/etcd", "/usr/sbin/haproxy", "/usr/lib/postgresql"].every(
  (path) => existsSync(path),
);

jest.setTimeout(1_800_000);

(isInstalled ? test : test.skip)(
  "a synchronous standby takes over without losing a write, sending a message twice or accepting a revoked key",
  async () => {
    const { NODE_OPTIONS: _, ...env } = process.env;
    const said = await new Promise<string>((resolve) => {
      execFile(process.execPath, [FAILOVER, "--rounds", FAILOVER_ROUNDS], { env }, (error, stdout, stderr) =>
        resolve(`${stdout}${stderr}ended with ${error === null ? 0 : error.code}`),
      );
    });
    expect(said).toMatch(/ended with 0$/);
    for (const fault of ["lost", "doubled", "half", "other"])
      expect(said).toMatch(new RegExp(`^${fault} +0$`, "m"));
    for (const counted of ["answered", "keys revoked", "signed out", "presented"])
      expect(said).toMatch(new RegExp(`^${counted} +[1-9]`, "m"));
  },
);
