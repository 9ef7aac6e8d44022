import { join } from "node:path";
import { expectPassed } from "../support/modules";

test("breaking changes are found, and must be named in the changelog", () =>
  expectPassed(join(__dirname, "breaks.spec.mjs")));
