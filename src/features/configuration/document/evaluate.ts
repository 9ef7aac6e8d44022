import { instantOf } from "../../../common/instant";
import { lookupTags } from "../../../common/locales";
import { DAY_MS, type Timestamp, timestampOf } from "../../../common/time";
import { type InputProblem, InvalidInput } from "../../../errors";
import {
  MAX_MESSAGES_PER_DECISION,
  MAX_TEXT_STEPS,
  MAX_TIMER_DAYS,
  SITUATION_KEY_MAX_LENGTH,
  SITUATION_TYPE_MAX_LENGTH,
  TIMER_KEY_MAX_LENGTH,
} from "../configuration.limits";
import type { CompiledConfiguration, CompiledRule } from "./compiled-configuration";
import type { ClauseResult } from "./conditions/condition";
import { Run } from "./conditions/run";
import { type DataType, parseDataType, type ReadData, readData } from "./data-types";
import {
  declarationOf,
  type EffectDocument,
  isSituationType,
  type LaterDocument,
  type TimerCanceler,
} from "./format";
import { DEFAULT_LOCALE, type Formatted, LocalFormats } from "./local-formats";
import { periodMs } from "./period";
import { StepBudget, TooExpensive } from "./step-budget";
import { DataRun } from "./texts/data-run";
import { PromptRun } from "./texts/prompt-run";
import { type TextLocale, TextRun } from "./texts/text-run";
import { TextError } from "./texts/text-value";
import type { ObjectValue } from "./value";

/** Everything that a decision depends on. */
export interface DecisionInput {
  situation: { type: string; data: Readonly<Record<string, unknown>> };
  contact: {
    ref: string | null;
    name: string | null;
    locale: string | null;
    timezone: string | null;
    attributes: Readonly<Record<string, unknown>>;
    tags: readonly string[];
    /** The kinds of addresses at which the contact accepts messages, sorted. */
    channels: readonly string[];
  } | null;
  conversation: { id: string; line: string; handler: string; state: string } | null;
  message: {
    text: string;
    /** Null without one; missing in decisions that are older than subjects. */
    subject?: string | null;
    sequence: number;
  } | null;
  agent: { slug: string; name: string };
  /** The time of the decision, as a timestamp. */
  now: string;
  /** The ids of rules with `once` that have matched recently enough. */
  spent: readonly string[];
  /** For a received message: number of automatic replies to its address within the last hour, up to the limit. */
  answers?: number;
  /** True if the contact has opted out of messages in the conversation. */
  isOptedOut?: true;
  /** True if the address of the conversation is undeliverable. */
  isUndeliverable?: true;
  /** The message that failed, if a rule may send it again. */
  failed?: {
    text: string;
    subject: string | null;
    wasResent: boolean;
    /** True if the policy did not apply to it. */
    isUrgent?: true;
  };
  /** What Intl formatted in the decision, once it was made; undefined if it formatted nothing. */
  formatted?: Formatted;
}

/** Why a rule did or did not match. */
export interface RuleResult {
  id: string;
  matched: boolean;
  /** True if its conditions are met, but it has matched too recently. */
  spent?: true;
  /** The conditions up to the first one that is not met. */
  clauses: ClauseResult[];
}

/** Why an effect fails. */
export interface EffectError {
  code:
    | "template_error"
    | "too_expensive"
    | "limit_reached"
    | "invalid_request"
    | "not_found"
    | "conflict"
    | "no_model"
    | "model_failed"
    | "model_timeout"
    | "model_invalid";
  message: string;
}

/**
 * An action of the agent. Its text is null only if there is an error; the template of a text is null only if a model
 * wrote it, or if it is sent again. `whileHuman` lets it apply while a human answers.
 */
export type Effect = { ruleId: string | null; error: EffectError | null; whileHuman?: true } & (
  | {
      kind: "send";
      template: string | null;
      text: string | null;
      /** The language tag of the template's translation; undefined for its own text. */
      locale?: string;
      /** For an e-mail that starts a conversation; undefined without one. */
      subject?: string;
      line: string | null;
      /** ID of the failed message that is sent again. */
      resendOf?: string;
      /** A list in place of `line`: the first line that reaches the contact is used. */
      lines?: readonly string[];
      delaySeconds: number;
      /** True for a message that no window or cap holds back. */
      isUrgent?: true;
    }
  | { kind: "addTags" | "removeTags"; tags: readonly string[] }
  | { kind: "move"; line: string; pending: "cancel" | "carry" }
  | { kind: "handoff"; reason: string }
  | { kind: "close" }
  | {
      kind: "ask";
      template: string;
      prompt: string | null;
      maxLength: number | null;
      tags: readonly string[];
      handoff: boolean;
    }
  | ({ kind: "later"; situation: string; unless: readonly TimerCanceler[] } & TimerTexts)
  | { kind: "cancelTimer"; key: string | null }
);

/** The parts of a timer that its templates give; empty if there is an error. */
interface TimerTexts {
  key: string | null;
  dueAt: Timestamp | null;
  data: Readonly<Record<string, unknown>>;
}

/** The outcome of the rules for a situation. */
export interface Evaluation {
  /** The rule that decided; null if none did. */
  ruleId: string | null;
  /** The rules that were tried, in order. */
  rules: RuleResult[];
  /** The effects, in order. */
  effects: Effect[];
  /** The cost of the evaluation. */
  steps: number;
  /** What Intl formatted; undefined if it formatted nothing. */
  formatted: Formatted | undefined;
}

/**
 * Evaluates a configuration. The result depends only on the arguments.
 * @throws InvalidInput if the situation does not match its declaration in the configuration, with paths from
 * `situation`
 */
export function evaluate(configuration: CompiledConfiguration, input: DecisionInput): Evaluation {
  const data = readSituation(configuration, input.situation);
  const formats = new LocalFormats(configuration.document.zone, input.formatted);
  const run = new Run(rootsForConditions(input, data.forConditions), formats);
  const rules: RuleResult[] = [];
  const counted = new Set<string>();
  const chosen: {
    ruleId: string | null;
    effects: readonly EffectDocument[];
    whileHuman?: true | undefined;
  }[] = [];
  let decided: CompiledRule | undefined;
  for (const rule of configuration.rulesFor(input.situation.type)) {
    const result = tryRule(rule, run, input.spent, counted);
    rules.push(result);
    if (!result.matched) continue;
    const { do: effects = [], whileHuman } = rule.document;
    chosen.push({ ruleId: result.id, effects, whileHuman: whileHuman || undefined });
    if (rule.document.continue) continue;
    decided = rule;
    break;
  }
  if (!decided) chosen.push({ ruleId: null, effects: configuration.otherwiseFor(input.situation.type) });
  const roots = rootsForTemplates(input, data.forTemplates);
  const writer = new EffectWriter(configuration, input, roots, formats);
  const effects = chosen.flatMap(({ ruleId, effects, whileHuman }) =>
    effects.map((effect) => ({ ...writer.write(ruleId, effect), ...(whileHuman && { whileHuman }) })),
  );
  return {
    ruleId: decided?.document.id ?? null,
    rules,
    effects,
    steps: run.steps.spent + writer.steps.spent,
    formatted: formats.formatted,
  };
}

/**
 * The effects of a configuration if neither a rule nor a model decides.
 * @throws InvalidInput like `evaluate`
 */
export function otherwise(configuration: CompiledConfiguration, input: DecisionInput): Effect[] {
  const { forTemplates } = readSituation(configuration, input.situation);
  const writer = new EffectWriter(configuration, input, rootsForTemplates(input, forTemplates));
  return configuration.otherwiseFor(input.situation.type).map((effect) => writer.write(null, effect));
}

/**
 * Reads the data of a situation according to its declaration in the configuration.
 * @throws InvalidInput if it does not match, with paths from `situation`
 */
export function readSituation(
  configuration: CompiledConfiguration,
  { type, data }: DecisionInput["situation"],
): ReadData {
  if (!isSituationType(type)) {
    throw new InvalidInput([
      {
        path: "situation.type",
        message: `must start with a letter and have at most ${SITUATION_TYPE_MAX_LENGTH} of a-z, 0-9 and single . _ - between them`,
      },
    ]);
  }
  const declared = configuration.dataOf(type);
  if (declared === undefined && configuration.document.strict) {
    const nearest = configuration.nearestType(type);
    const such = nearest === null ? "" : `, such as ${nearest}`;
    throw new InvalidInput([{ path: "situation.type", message: `must be a declared situation${such}` }]);
  }
  const read = readData(declared, data);
  if (!Array.isArray(read) && configuration.keyOf({ type, data }) !== undefined) return read;
  const found = Array.isArray(read) ? read : [keyTooLong(configuration, type)];
  const problems: InputProblem[] = found.map(({ path, message }) => ({
    path: ["situation.data", path].filter(Boolean).join("."),
    message,
  }));
  throw new InvalidInput(problems);
}

const keyTooLong = ({ document }: CompiledConfiguration, type: string): InputProblem => ({
  path: declarationOf(document, type)?.key ?? "",
  message: `must have at most ${SITUATION_KEY_MAX_LENGTH} characters, because it is the key`,
});

/** A rule with `once`, and what it counts for. */
export interface OnceLimit {
  ruleId: string;
  /** The name of the count that the rule shares with others; null if it has its own. */
  group: string | null;
  /** The subject, or the text that counts for the contact. */
  per: "contact" | "conversation" | { text: string };
  /** An ISO 8601 duration. */
  within: string;
}

/** The rules with `once` for a situation, without those whose expression gives no text. */
export function onceLimits(
  configuration: CompiledConfiguration,
  input: Omit<DecisionInput, "spent">,
): OnceLimit[] {
  let run: Run | undefined;
  return configuration.rulesFor(input.situation.type).flatMap((rule): OnceLimit[] => {
    const { id: ruleId, once } = rule.document;
    if (once === undefined) return [];
    const { per, within, group = null } = once;
    if (per === "contact" || per === "conversation") return [{ ruleId, group, per, within }];
    run ??= new Run(
      rootsForConditions(input, readSituation(configuration, input.situation).forConditions),
      new LocalFormats(configuration.document.zone, input.formatted),
    );
    const text = rule.onceKey?.evaluate(run);
    return typeof text === "string" ? [{ ruleId, group, per: { text }, within }] : [];
  });
}

/** @param counted the counts of groups whose rules have matched in this decision */
function tryRule(rule: CompiledRule, run: Run, spent: readonly string[], counted: Set<string>): RuleResult {
  const { document, conditions } = rule;
  const clauses: ClauseResult[] = [];
  for (const condition of conditions) {
    const clause = condition.evaluate(run);
    clauses.push(clause);
    if (clause.value !== true) return { id: document.id, matched: false, clauses };
  }
  const key = rule.onceKey?.evaluate(run);
  if (typeof key === "object") return { id: document.id, matched: false, clauses: [...clauses, key] };
  const { once } = document;
  const count = once?.group === undefined ? undefined : `${once.group} ${once.per} ${key ?? ""}`;
  const isSpent =
    (once !== undefined && spent.includes(document.id)) || (count !== undefined && counted.has(count));
  if (count !== undefined && !isSpent) counted.add(count);
  return { id: document.id, matched: !isSpent, ...(isSpent && { spent: true as const }), clauses };
}

const rootsForConditions = (input: Omit<DecisionInput, "spent">, data: ObjectValue): ObjectValue => ({
  ...rootsForTemplates(input, data),
  message: input.message && {
    text: input.message.text,
    // A text in any case, so that conditions need not check for null.
    subject: input.message.subject ?? "",
    sequence: BigInt(input.message.sequence),
  },
  now: instantOf(input.now) ?? null,
});

const rootsForTemplates = (input: Omit<DecisionInput, "spent">, data: ObjectValue): ObjectValue => ({
  situation: { type: input.situation.type, data },
  contact: input.contact as ObjectValue | null,
  conversation: input.conversation,
  message: input.message,
  agent: input.agent,
  now: input.now,
});

/** The contact's locale if it is of the same language as the text, because it may add a region. */
function formatLocale(ofText: string, ofContact: string | null): string {
  if (ofContact === null) return ofText;
  const wanted = ofText.toLowerCase();
  return [...lookupTags(ofContact.toLowerCase())].includes(wanted) ? ofContact : ofText;
}

/** A rendered template. */
type Texts = Pick<Extract<Effect, { kind: "send" }>, "text" | "error" | "locale" | "subject">;

/** Creates the effects of one decision. */
class EffectWriter {
  readonly steps = new StepBudget(MAX_TEXT_STEPS);
  private messages = 0;
  private hasResent = false;

  constructor(
    private readonly configuration: CompiledConfiguration,
    private readonly input: DecisionInput,
    private readonly roots: ObjectValue,
    private readonly formats = new LocalFormats(configuration.document.zone, input.formatted),
  ) {}

  write(ruleId: string | null, effect: EffectDocument): Effect {
    const done = { ruleId, error: null };
    if ("send" in effect) return this.send(ruleId, effect);
    if ("addTags" in effect) return { ...done, kind: "addTags", tags: effect.addTags };
    if ("removeTags" in effect) return { ...done, kind: "removeTags", tags: effect.removeTags };
    if ("move" in effect) {
      return { ...done, kind: "move", line: effect.move, pending: effect.pending ?? "cancel" };
    }
    if ("handoff" in effect) return { ...done, kind: "handoff", reason: effect.handoff };
    if ("close" in effect) return { ...done, kind: "close" };
    if ("later" in effect) return this.later(ruleId, effect);
    if ("cancelTimer" in effect) {
      const { value: key, error } = attempt(() => this.key(effect.cancelTimer));
      return { ruleId, error, kind: "cancelTimer", key };
    }
    if ("resend" in effect) return this.resend(ruleId, effect);
    const { prompt, maxLength = null, tags = [], handoff = false } = effect.ask;
    const { text, error } = this.texts(prompt, PromptRun);
    return { ruleId, error, kind: "ask", template: prompt, prompt: text, maxLength, tags, handoff };
  }

  private send(
    ruleId: string | null,
    { send: template, line, delaySeconds = 0, urgent }: Extract<EffectDocument, { send: string }>,
  ): Effect {
    this.messages += 1;
    const { error, ...texts } =
      this.messages > MAX_MESSAGES_PER_DECISION
        ? { text: null, error: TOO_MANY_MESSAGES }
        : this.texts(template, TextRun);
    const isUrgent = urgent ?? this.configuration.isUrgent(template);
    const more = isUrgent && { isUrgent };
    return { ruleId, error, kind: "send", template, ...texts, ...linesOf(line), delaySeconds, ...more };
  }

  private resend(ruleId: string | null, { line }: Extract<EffectDocument, { resend: true }>): Effect {
    const { failed, situation } = this.input;
    const wasResent = failed?.wasResent || this.hasResent;
    this.messages += 1;
    this.hasResent = true;
    const error =
      this.messages > MAX_MESSAGES_PER_DECISION
        ? TOO_MANY_MESSAGES
        : failed === undefined
          ? NO_FAILED_MESSAGE
          : wasResent
            ? WAS_RESENT
            : null;
    return {
      ruleId,
      error,
      kind: "send",
      template: null,
      text: error === null && failed !== undefined ? failed.text : null,
      ...(error === null && failed?.subject != null && { subject: failed.subject }),
      resendOf: String(situation.data.messageId),
      ...(error === null && failed?.isUrgent && { isUrgent: true as const }),
      ...linesOf(line),
      delaySeconds: 0,
    };
  }

  /** Renders a template in the language of the contact. */
  private texts(template: string, Run: typeof TextRun): Texts {
    const { locale, ...sources } = this.configuration.template(template, this.input.contact?.locale ?? null);
    const chosen = locale === null ? {} : { locale };
    const run = () => new Run(this.roots, this.input.now, this.steps, this.place(locale));
    try {
      const text = this.configuration.parseText(sources.text).render(run()).text;
      if (sources.subject === undefined || Run === PromptRun) return { text, error: null, ...chosen };
      const { subject } = this.configuration.parseText(sources.subject).render(run());
      return { text, error: null, ...chosen, ...(subject !== "" && { subject }) };
    } catch (error) {
      return { text: null, error: effectErrorOf(error), ...chosen };
    }
  }

  /** How a text in a language formats numbers and times. */
  private place(locale: string | null): TextLocale {
    const { contact } = this.input;
    const { document } = this.configuration;
    return {
      formats: this.formats,
      locale: formatLocale(locale ?? document.locale ?? DEFAULT_LOCALE, contact?.locale ?? null),
      timezone: contact?.timezone ?? null,
      isZoned: document.zone !== undefined,
    };
  }

  private later(ruleId: string | null, { later }: Extract<EffectDocument, { later: object }>): Effect {
    const { situation, unless = [] } = later;
    const { value, error } = attempt(() => this.timer(later));
    const texts = value ?? { key: null, dueAt: null, data: {} };
    return { ruleId, error, kind: "later", situation, unless, ...texts };
  }

  private timer({ situation: type, key, after, at, data: templates = {} }: LaterDocument): TimerTexts {
    const declared = this.configuration.dataOf(type);
    const data = Object.fromEntries(
      Object.entries(templates).map(([name, value]) => {
        if (Array.isArray(value)) return [name, value.map((each) => this.inline(each))];
        if (typeof value !== "string") return [name, value];
        const dataType = declared !== undefined && Object.hasOwn(declared, name) ? declared[name] : undefined;
        return [name, dataType === undefined ? this.inline(value) : dataOf(this.inline(value), dataType)];
      }),
    );
    readSituation(this.configuration, { type, data });
    const now = Date.parse(this.input.now);
    const due = now + (after === undefined ? 0 : (periodMs(after) ?? 0));
    return { key: this.key(key), dueAt: timestampOf(at === undefined ? due : this.instant(at, now)), data };
  }

  /** @throws TextError, TooExpensive */
  private key(template: string): string {
    const key = this.inline(template).trim();
    if (key === "") throw new TextError("the key is empty");
    if ([...key].length > TIMER_KEY_MAX_LENGTH)
      throw new TextError(`the key has more than ${TIMER_KEY_MAX_LENGTH} characters`);
    return key;
  }

  private instant(template: string, now: number): number {
    const text = this.inline(template).trim();
    const instant = instantOf(text)?.getTime();
    if (instant === undefined) throw new TextError("at is not a time such as 2026-01-31T12:00:00Z");
    if (instant > now + MAX_TIMER_DAYS * DAY_MS) throw new TooFarAhead();
    return instant;
  }

  private inline(source: string): string {
    return this.configuration
      .parseText(source)
      .render(new DataRun(this.roots, this.input.now, this.steps, this.place(null))).text;
  }
}

const linesOf = (line: string | string[] | undefined) =>
  Array.isArray(line) ? { line: null, lines: line } : { line: line ?? null };

const NO_FAILED_MESSAGE: EffectError = {
  code: "not_found",
  message: "The conversation has no failed message with this ID.",
};

const WAS_RESENT: EffectError = { code: "conflict", message: "The message was already sent again." };

/** A timer that would wait for too long. */
class TooFarAhead extends Error {}

/** Writes a part of an effect. */
function attempt<T>(part: () => T): { value: T | null; error: EffectError | null } {
  try {
    return { value: part(), error: null };
  } catch (error) {
    return { value: null, error: effectErrorOf(error) };
  }
}

/** Converts a text to a declared type; a text of another form stays, and does not match the type. */
function dataOf(text: string, type: DataType): unknown {
  const { base, isOptional } = parseDataType(type);
  if (text === "" && isOptional) return null;
  if (base === "bool" && (text === "true" || text === "false")) return text === "true";
  const isNumber = (base === "int" || base === "double") && /^-?\d+(\.\d+)?$/.test(text);
  return isNumber ? Number(text) : text;
}

/** Why messages beyond the limit are not sent. */
export const TOO_MANY_MESSAGES: EffectError = {
  code: "limit_reached",
  message: `A decision sends at most ${MAX_MESSAGES_PER_DECISION} messages.`,
};

function effectErrorOf(error: unknown): EffectError {
  if (error instanceof TextError) return { code: "template_error", message: error.message };
  if (error instanceof InvalidInput) {
    const [{ path, message } = { path: "situation", message: "is not valid" }] = error.problems;
    return { code: "invalid_request", message: `${path} ${message}` };
  }
  if (error instanceof TooFarAhead)
    return { code: "limit_reached", message: `A timer waits at most ${MAX_TIMER_DAYS} days.` };
  if (!(error instanceof TooExpensive)) throw error;
  return { code: "too_expensive", message: "The texts of this decision take too many steps." };
}
