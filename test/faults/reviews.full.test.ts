import { join } from "node:path";
import { expectNoFaults } from "../support/modules";

const REVIEWS = join(__dirname, "reviews.mjs");

jest.setTimeout(300_000);

test.each(["sqlite", "postgres"])(
  "on %s, proposed messages are sent once and as approved, even while processes are killed",
  async (engine) => {
    await expectNoFaults([REVIEWS, "--engine", engine, "--processes", "2", "--rounds", "24"], {
      faults: ["sent twice", "sent, not approved", "another text", "no end"],
      counts: ["sent"],
    });
  },
);
