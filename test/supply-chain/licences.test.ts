import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import satisfies from "spdx-satisfies";
import { PROJECTS, type Project, resolvePackage } from "./lock";

/** Licenses of code that may be distributed with an MIT program, in source or built form. */
const PERMISSIVE = [
  "0BSD",
  "Apache-2.0",
  "BlueOak-1.0.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "CC0-1.0",
  "ISC",
  "MIT",
  "MIT-0",
  "PSF-2.0",
  "Python-2.0",
  "Unlicense",
];

/** Returns the packages whose code is in the dashboard's bundle. */
function importedByDashboard(): string[] {
  const folder = "src/dashboard";
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) =>
    /\.tsx?$/.test(file),
  );
  const imports = files.flatMap((file) => [
    ...readFileSync(join(folder, file), "utf8").matchAll(/^import (?!type)[^;]*?"((?:@[\w-]+\/)?[\w-]+)/gm),
  ]);
  return [...new Set(imports.map(([, name]) => name as string))];
}

/** Returns the paths of the named packages and everything that they need to run. */
function shipped(project: Project, names: readonly string[]): Set<string> {
  const places = new Set<string>();
  const visit = (from: string, name: string) => {
    const place = resolvePackage(project, from, name);
    if (place === undefined || places.has(place)) return;
    places.add(place);
    const { dependencies, optionalDependencies, peerDependencies } = project.packages.get(place) ?? {};
    for (const next of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies }))
      visit(place, next);
  };
  for (const name of names) visit("", name);
  return places;
}

test("nothing that runs in production, in the dashboard, in /docs or in /graphiql has a license that requires more than a notice", () => {
  const [project] = PROJECTS as [Project];
  const dependencies = Object.keys(project.packages.get("")?.dependencies ?? {});
  const imported = importedByDashboard();
  expect(imported).toEqual(expect.arrayContaining(["react", "@mantine/core"]));
  const places = shipped(project, [
    ...dependencies,
    ...imported,
    "openapi-explorer",
    "graphiql",
    "@graphiql/toolkit",
  ]);
  expect(places.size).toBeGreaterThan(300);
  const others = [...places]
    .map((place) => ({ place, license: project.packages.get(place)?.license }))
    .filter(({ license }) => license === undefined || !satisfies(license, PERMISSIVE));
  expect(others).toEqual([]);
});
