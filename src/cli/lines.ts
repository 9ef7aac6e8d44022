import type { Command } from "commander";
import { operatorFor, type RequestContext } from "../auth/context";
import { DAY_SECONDS } from "../common/time";
import { GatewayError } from "../errors";
import type { Services } from "../features";
import type { Agent } from "../features/agents/agent.entity";
import type { Line } from "../features/lines/line.entity";
import { NewLine, PauseLineArgs } from "../features/lines/line.inputs";
import {
  MAX_EXPIRE_AFTER_SECONDS,
  MAX_RATE_PER_MINUTE,
  MIN_EXPIRE_AFTER_SECONDS,
} from "../features/lines/line.limits";
import { validateInput } from "../schema/validate-input";
import { DURATION_FORM, duration } from "./duration";
import { print, printJson, printTable } from "./output";
import { withServices } from "./services";
import { wholeNumber } from "./whole-number";

interface Options {
  agent: string;
  json?: boolean;
}

/** Adds the commands of `gateway lines`. */
export function addLineCommands(lines: Command): void {
  const add = (name: string, description: string) =>
    lines
      .command(name)
      .description(description)
      .requiredOption("--agent <slug>", "agent that the lines belong to");

  add("list", "list the lines of an agent")
    .option("--json", "print one JSON array")
    .action((options: Options) =>
      withAgent(options, async (services, context, agent) => {
        const records = (await services.lines.list(context, agent.id)).map(describe);
        if (options.json) printJson(records);
        else
          printTable(
            records.map(({ isDefault, id, ...rest }) => ({ ...rest, default: isDefault ? "yes" : "", id })),
            "The agent has no lines.",
          );
      }),
    );

  add("create", "create a local line")
    .requiredOption("--name <slug>", "short name, unique among the lines of the agent")
    .option(
      "--rate <n>",
      "messages that the line sends per minute; no limit when omitted",
      wholeNumber(1, MAX_RATE_PER_MINUTE),
    )
    .option(
      "--expire-after <duration>",
      `how long a message may wait before it expires, ${DURATION_FORM}; three days when omitted`,
      duration(MIN_EXPIRE_AFTER_SECONDS, [
        MAX_EXPIRE_AFTER_SECONDS,
        `${MAX_EXPIRE_AFTER_SECONDS / DAY_SECONDS}d`,
      ]),
    )
    .option("--json", "print one JSON object")
    .action((options: Options & { name: string; rate?: number; expireAfter?: number }) =>
      withAgent(options, async (services, context, agent) => {
        const input = Object.assign(new NewLine(), {
          agentId: agent.id,
          name: options.name,
          ratePerMinute: options.rate,
          expireAfterSeconds: options.expireAfter,
        });
        await validateInput(input);
        printLine(await services.lines.create(context, input), "was created", options);
      }),
    );

  const addChange = (name: string, description: string) =>
    add(name, description).argument("<line>", "its name or ID").option("--json", "print one JSON object");

  addChange("pause", "pause a line; it holds its messages until it is resumed")
    .option("--reason <text>", "why the line is paused")
    .action((which: string, options: Options & { reason?: string }) =>
      withLine(which, options, async (services, context, { id }) => {
        const args = Object.assign(new PauseLineArgs(), { id, reason: options.reason });
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

const describe = ({ id, name, kind, state, pausedReason, isDefault, ...line }: Line) => ({
  id,
  name,
  kind,
  state,
  pausedReason,
  isDefault,
  ratePerMinute: line.ratePerMinute,
  expireAfterSeconds: line.expireAfterSeconds,
  version: line.version,
  createdAt: line.createdAt,
});

function printLine(line: Line, done: string, { json }: Options): void {
  if (json) printJson(describe(line));
  else print(`The line ${line.name} ${done}.`);
}
