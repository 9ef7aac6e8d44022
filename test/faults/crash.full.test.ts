import { join } from "node:path";
import { expectNoFaults } from "../support/modules";

const CRASH = join(__dirname, "crash.mjs");

const crash = (engine: string, ...options: string[]) =>
  expectNoFaults([CRASH, "--engine", engine, ...options], {
    faults: ["lost", "doubled", "half", "other faults"],
  });

jest.setTimeout(300_000);

describe.each(["sqlite", "postgres"])("on %s", (engine) => {
  test("answered writes survive kills under load, each complete and stored once", async () => {
    const said = await crash(engine, "--only", "writes", "--kills", "3", "--expire-leases");
    expect(said).toMatch(/^kills +3 /m);
    expect(said).toMatch(/^answered +[1-9]/m);
    expect(said).toMatch(/^decisions +[1-9]/m);
  });

  test("messages arrive once and in order at webhooks even if their senders are killed", async () => {
    const options = ["--kills", "1", "--conversations", "20", "--messages", "5", "--freeze-seconds", "0"];
    const said = await crash(engine, "--only", "sends", ...options, "--expire-leases");
    expect(said).toMatch(/^webhooks +100 messages /m);
    expect(said).toMatch(/both 1,/);
  });
});
