import { execFileSync } from "node:child_process";
import { join } from "node:path";

const SERVER = join(__dirname, "../../dist/src/serve.js");

/** The packages whose files a process has loaded with the server. */
function loadedPackages(): Set<string> {
  const print = `require(${JSON.stringify(SERVER)}); console.log(JSON.stringify(Object.keys(require.cache)))`;
  const files: string[] = JSON.parse(execFileSync(process.execPath, ["-e", print], { encoding: "utf8" }));
  return new Set(files.flatMap((file) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? []));
}

test("the server loads neither the OpenTelemetry SDK nor formats of telephone numbers before they are needed", () => {
  const loaded = loadedPackages();
  expect(loaded).toContain("class-validator");
  expect([...loaded].filter((name) => name.startsWith("@opentelemetry/"))).toEqual(["@opentelemetry/api"]);
  expect(loaded).not.toContain("libphonenumber-js");
});
