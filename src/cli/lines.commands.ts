import type { Command } from "commander";
import { operatorFor, type RequestContext } from "../auth/context";
import { AttemptOutcome } from "../delivery/driver";
import { GatewayError } from "../errors";
import type { Services } from "../features";
import type { Agent } from "../features/agents/agent.entity";
import type { Line } from "../features/lines/line.entity";
import { type LineWithSecret, PauseLineInput } from "../features/lines/line.inputs";
import { TestLineInput } from "../features/lines/line-test.service";
import { validateInput } from "../schema/validate-input";
import { addYesOption, type Confirmation, confirm } from "./confirm";
import {
  addLineChangeOptions,
  addLineOptions,
  addNewLineOptions,
  type LineOptions,
  lineChangesOf,
  newLineOf,
} from "./line-options";
import { print, printJson, printTable } from "./output";
import { withServices } from "./services";

interface Options {
  agent: string;
  json?: boolean;
}

export const description = "Lines that agents send messages from";

/** Adds the commands of `gateway lines`. */
export function add(lines: Command): void {
  const add = (name: string, description: string) =>
    lines
      .command(name)
      .description(description)
      .requiredOption("--agent <slug>", "agent that the lines belong to");

  add("list", "list the lines of an agent")
    .option("--json", "print one JSON array")
    .action((options: Options) =>
      withAgent(options, async (services, context, agent) => {
        const found = await services.lines.list(context, agent.id);
        if (options.json) printJson(found.map(describeFully));
        else
          printTable(
            found
              .map(describe)
              .map(({ isDefault, id, ...rest }) => ({ ...rest, default: isDefault ? "yes" : "", id })),
            "The agent has no lines.",
          );
      }),
    );

  addLineOptions(
    addNewLineOptions(
      add("create", "create a line; the signing secret of a webhook line is shown only once"),
    ),
  )
    .option("--json", "print one JSON object")
    .action((options: Options & LineOptions) =>
      withAgent(options, async (services, context, agent) => {
        const input = await newLineOf(agent.id, options);
        await validateInput(input);
        printWithSecret(await services.lines.create(context, input), "was created", options);
      }),
    );

  const addChange = (name: string, description: string) =>
    add(name, description)
      .argument("<line>", "name or ID of the line")
      .option("--json", "print one JSON object");

  // Commander needs `--rate` before `--no-rate`.
  addLineChangeOptions(addLineOptions(addChange("update", "change the name or settings of a line"))).action(
    (which: string, options: Options & LineOptions) =>
      withLine(which, options, async (services, context, { id }) => {
        const input = await lineChangesOf(id, options);
        await validateInput(input);
        printLine(await services.lines.update(context, input), "was changed", options);
      }),
  );

  addYesOption(
    addChange("rotate-secret", "create a new signing secret for a line; it is shown only once"),
  ).action((which: string, options: Options & Confirmation) =>
    withLine(which, options, async (services, context, { id, name, previousSecretUntil }) => {
      if (previousSecretUntil !== null) {
        await confirm(
          `${name} got a new secret less than a day ago. Stop signing with the previous secret immediately?`,
          options,
        );
      }
      printWithSecret(
        await services.lines.rotateSecret(context, { id }),
        "has a new signing secret",
        options,
      );
    }),
  );

  addChange("test", "send a test message over a line now and show the result; exit code 1 if the test failed")
    .option("--to <address>", "address to send the message to; required for e-mail lines")
    .action((which: string, options: Options & { to?: string }) =>
      withLine(which, options, async (services, context, { id }) => {
        const args = Object.assign(new TestLineInput(), { id, to: options.to });
        await validateInput(args);
        const { outcome, code, detail } = await services.lineTests.run(context, args);
        if (options.json) printJson({ outcome, code, detail });
        else print(code === null ? detail : `${detail} (${outcome}, ${code})`);
        if (outcome !== AttemptOutcome.accepted) process.exitCode = 1;
      }),
    );

  addChange("pause", "pause a line; it holds its messages until it is resumed")
    .option("--reason <text>", "why the line is paused")
    .action((which: string, options: Options & { reason?: string }) =>
      withLine(which, options, async (services, context, { id }) => {
        const args = Object.assign(new PauseLineInput(), { id, reason: options.reason });
        await validateInput(args);
        printLine(await services.lines.pause(context, args), "is paused", options);
      }),
    );

  for (const [name, description, change, done] of [
    ["resume", "put a paused or archived line back into use", "resume", "is active"],
    ["archive", "take a line out of use", "archive", "is archived"],
    ["set-default", "make a line the default of its agent", "setDefault", "is the default line"],
  ] as const) {
    addChange(name, description).action((which: string, options: Options) =>
      withLine(which, options, async (services, context, { id }) => {
        printLine(await services.lines[change](context, id), done, options);
      }),
    );
  }
}

type Work<Subject> = (services: Services, context: RequestContext, subject: Subject) => Promise<void>;

const withAgent = (options: Options, work: Work<Agent>): Promise<void> =>
  withServices(async (services) => {
    const agent = await services.agents.bySlug(options.agent);
    await work(services, operatorFor(agent.organization), agent);
  });

/** @throws GatewayError `not_found` */
const withLine = (which: string, options: Options, work: Work<Line>): Promise<void> =>
  withAgent(options, async (services, context, agent) => {
    const lines = await services.lines.list(context, agent.id);
    const line = lines.find(({ id, name }) => name === which || id === which);
    if (line === undefined) throw new GatewayError("not_found", `There is no line "${which}".`);
    await work(services, context, line);
  });

const describe = ({ id, name, kind, state, address, pausedReason, isDefault, ...line }: Line) => ({
  id,
  name,
  kind,
  state,
  address,
  pausedReason,
  isDefault,
  ratePerMinute: line.ratePerMinute,
  expireAfterSeconds: line.expireAfterSeconds,
  version: line.version,
  createdAt: line.createdAt,
});

/** Returns a line with its settings, for JSON output. */
const describeFully = (line: Line) => ({
  ...describe(line),
  whenUncertain: line.whenUncertain,
  optOutReply: line.optOutReply,
  optOutWords: line.optOutWords,
  webhook: line.webhook,
  email: line.email,
  secretGeneration: line.secretGeneration,
  previousSecretUntil: line.previousSecretUntil,
});

function printLine(line: Line, done: string, { json }: Options): void {
  if (json) printJson(describeFully(line));
  else print(`The line ${line.name} ${done}.`);
}

function printWithSecret({ line, signingSecret }: LineWithSecret, done: string, options: Options): void {
  if (options.json) {
    printJson({ ...describeFully(line), signingSecret });
    return;
  }
  printLine(line, done, options);
  if (signingSecret !== null) {
    print(`Signing secret: ${signingSecret}\nThe signing secret will not be shown again.`);
  }
}
