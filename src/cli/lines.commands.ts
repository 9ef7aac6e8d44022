import type { Command } from "commander";
import type { Line } from "../features/lines/line.entity";
import type { LineWithSecret } from "../features/lines/line.inputs";
import type { LineTest } from "../features/lines/line-test.service";
import { mutation, query } from "./client";
import { addYesOption, type Confirmation, confirm } from "./confirm";
import {
  addLineChangeOptions,
  addLineOptions,
  addNewLineOptions,
  type LineOptions,
  lineChangesOf,
  newLineOf,
} from "./line-options";
import { withAgent, withLine } from "./lookups";
import { printResult, printRows, printTest, printWithSecret } from "./output";

const LINE = [
  "id name kind state address pausedReason isDefault ratePerMinute expireAfterSeconds version createdAt",
  "whenUncertain optOutReply optOutWords webhook { url addressKind }",
  "email { host port security user hasPassword from subject listAddress }",
  "secretGeneration previousSecretUntil",
].join(" ");
const WITH_SECRET = `line { ${LINE} } signingSecret`;

const LIST = query("lines", "agentId: ID", LINE);
const CREATE = mutation("createLine", WITH_SECRET);
const UPDATE = mutation("updateLine", LINE);
const ROTATE_SECRET = mutation("rotateLineSecret", WITH_SECRET);
const TEST = mutation("testLine", "outcome code detail");
const PAUSE = mutation("pauseLine", LINE);

interface Options {
  agent: string;
  json?: boolean;
}

export const description = "Lines that agents send messages from";

export function add(lines: Command): void {
  const add = (name: string, description: string) =>
    lines.command(name).description(description).requiredOption("--agent <slug>", "slug of the agent");

  add("list", "list an agent's lines")
    .option("--json", "print one JSON array")
    .action(({ agent, json }: Options) =>
      withAgent(agent, async (run, { id: agentId }) => {
        const found = await run<Line[]>(LIST, { agentId });
        printRows(
          json,
          found,
          "name kind state address pausedReason ratePerMinute expireAfterSeconds version createdAt default id",
          "The agent has no lines.",
          ({ isDefault, ...line }) => ({ ...line, default: isDefault ? "yes" : "" }),
        );
      }),
    );

  addLineOptions(
    addNewLineOptions(
      add("create", "create a line; the signing secret of a webhook line is shown only once"),
    ),
  ).action(({ agent, json, ...options }: Options & LineOptions) =>
    withAgent(agent, async (run, { id }) => {
      const input = await newLineOf(id, options);
      const { line, signingSecret } = await run<LineWithSecret>(CREATE, { input });
      printWithSecret(json, line, signingSecret, `The line ${line.name} was created.`);
    }),
  );

  const addChange = (name: string, description: string) =>
    add(name, description)
      .argument("<line>", "name or ID of the line")
      .option("--json", "print one JSON object");

  // Commander needs `--rate` before `--no-rate`.
  addLineChangeOptions(addLineOptions(addChange("update", "change the name or settings of a line"))).action(
    (which: string, { agent, json, ...options }: Options & LineOptions) =>
      withLine(agent, which, async (run, { id }) => {
        const line = await run<Line>(UPDATE, { input: await lineChangesOf(id, options) });
        printResult(json, line, `The line ${line.name} was changed.`);
      }),
  );

  addYesOption(
    addChange("rotate-secret", "create a new signing secret for a line; it is shown only once"),
  ).action((which: string, { agent, json, ...confirmation }: Options & Confirmation) =>
    withLine(agent, which, async (run, { id, name, previousSecretUntil }) => {
      if (previousSecretUntil !== null) {
        await confirm(
          `The signing secret of ${name} was rotated less than a day ago. Stop signing with the previous secret immediately?`,
          confirmation,
        );
      }
      const { line, signingSecret } = await run<LineWithSecret>(ROTATE_SECRET, { input: { id } });
      printWithSecret(json, line, signingSecret, `The line ${line.name} has a new signing secret.`);
    }),
  );

  addChange("test", "send a test message over a line now and show the result; exit code 1 if the test failed")
    .option("--to <address>", "address to send the message to; required for e-mail lines")
    .action((which: string, { agent, json, to }: Options & { to?: string }) =>
      withLine(agent, which, async (run, { id }) =>
        printTest(json, await run<LineTest>(TEST, { input: { id, to } })),
      ),
    );

  addChange("pause", "pause a line; it holds its messages until it is resumed")
    .option("--reason <text>", "why the line is paused")
    .action((which: string, { agent, json, reason }: Options & { reason?: string }) =>
      withLine(agent, which, async (run, { id }) => {
        const line = await run<Line>(PAUSE, { input: { id, reason } });
        printResult(json, line, `The line ${line.name} is paused.`);
      }),
    );

  for (const [name, description, change, done] of [
    ["resume", "put a paused or archived line back into use", "resumeLine", "is active"],
    ["archive", "take a line out of use", "archiveLine", "is archived"],
    ["set-default", "make a line the default of its agent", "setDefaultLine", "is the default line"],
  ] as const) {
    addChange(name, description).action((which: string, { agent, json }: Options) =>
      withLine(agent, which, async (run, { id }) => {
        const line = await run<Line>(mutation(change, LINE), { input: { id } });
        printResult(json, line, `The line ${line.name} ${done}.`);
      }),
    );
  }
}
