import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { transformSync } from "@swc/core";
import { buildSchema, type GraphQLSchema, parse, validate } from "graphql";
import { parse as parseYaml } from "yaml";
import { read } from "./markdown";

/** A fenced block on a page. */
interface Fence {
  language: string;
  code: string;
}

/** Languages that the pages use, each with a function that returns the faults in a block. */
const LANGUAGES: Readonly<Record<string, (code: string) => Promise<string[]>>> = {
  sh: (code) =>
    promisify(execFile)("sh", ["-n", "-c", code]).then(
      () => [],
      (error: Error) => [error.message],
    ),
  json: async (code) => faultsOf(() => JSON.parse(code)),
  yaml: async (code) => faultsOf(() => parseYaml(code)),
  graphql: async (code) => code.split(/\n+(?=query|mutation)/).flatMap(graphqlFaults),
  js: async (code) => faultsOf(() => transformSync(code, { isModule: true })),
  mermaid: unchecked,
  promql: unchecked,
  text: unchecked,
};

/**
 * Returns the problems with a page's fenced blocks: an unknown language, or content that is not valid in its language.
 */
export async function syntaxFaults(page: string): Promise<string[]> {
  const faults = fences(read(page)).map(async ({ language, code }) => {
    const check = LANGUAGES[language];
    return check === undefined ? [`"${language}" is not a known language`] : check(code);
  });
  return (await Promise.all(faults)).flat();
}

/** Checks nothing; for languages that no package here can parse. */
async function unchecked(): Promise<string[]> {
  return [];
}

const fences = (text: string): Fence[] =>
  [...text.matchAll(/^```([^\n]*)\n(.*?)^```$/gms)].map(([, language = "", code = ""]) => ({
    language,
    code,
  }));

let schema: GraphQLSchema | undefined;

function graphqlFaults(code: string): string[] {
  schema ??= buildSchema(read("schema.graphql"));
  const known = schema;
  return faultsOf(() => {
    const [fault] = validate(known, parse(code));
    if (fault !== undefined) throw fault;
  });
}

function faultsOf(run: () => void): string[] {
  try {
    run();
    return [];
  } catch (error) {
    return [(error as Error).message];
  }
}
