import { type Command, Option } from "commander";
import type { TestOptions } from "./document-tests";
import type { Json } from "./output";
import { get, publish } from "./published-configuration";
import { wholeNumber } from "./values";

const MAX_VERSION = 2 ** 31 - 1;
const versionNumber = wholeNumber(1, MAX_VERSION);

export const description = "Agents' rules and message texts";

export function add(configuration: Command): void {
  configuration
    .command("get")
    .description("print an agent's live configuration as JSON, in the form that `publish` accepts")
    .requiredOption("--agent <slug>", "slug of the agent")
    .addOption(new Option("--version <n>", "print this version").argParser(versionNumber).conflicts("draft"))
    .option("--draft", "print the draft")
    .option("--json", "print one JSON object with the document, its version and digest")
    .action(get);

  configuration
    .command("check")
    .description("check a configuration document without a database; exit code 1 if it cannot be published")
    .argument("<file>", "the document as JSON; - for standard input")
    .action(async (file: string, options: Json) =>
      (await import("./document-check.js")).check(file, options),
    );

  configuration
    .command("test")
    .description("run the tests of a configuration document without a database; exit code 1 if a test fails")
    .argument("<file>", "the document as JSON; - for standard input")
    .option("--junit <file>", "write a JUnit report, for pipelines")
    .action(async (file: string, options: TestOptions) =>
      (await import("./document-tests.js")).test(file, options),
    );

  configuration
    .command("publish")
    .description("publish a configuration document; a draft is left unchanged")
    .argument("<file>", "the document as JSON; - for standard input")
    .requiredOption("--agent <slug>", "slug of the agent")
    .addOption(
      new Option(
        "--expect <version>",
        "fail if another version is live (default: the version that is live when the command starts)",
      ).argParser(versionNumber),
    )
    .option("--note <text>", "note about the changes")
    .option(
      "--ignore-tests <reason>",
      "publish even if the document's tests fail; the reason is recorded in the audit log",
    )
    .action(publish);
}
