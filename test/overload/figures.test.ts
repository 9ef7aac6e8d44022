import { join } from "node:path";
import { expectPassed } from "../support/modules";

test("an attack is judged by the client's results and the server's resource usage", () =>
  expectPassed(join(__dirname, "figures.spec.mjs")));
