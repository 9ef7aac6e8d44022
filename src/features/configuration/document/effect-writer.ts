// One class, because all effects of a decision share its limits on steps, messages and HTML.

import { instantOf } from "../../../common/instant";
import { lookupTags } from "../../../common/locales";
import { DAY_MS, timestampOf } from "../../../common/time";
import { InvalidInput } from "../../../errors";
import type { ReviewDemand } from "../../messages/message-gate";
import {
  ASK_TEXTS_MAX_LENGTH,
  MAX_EFFECTS_PER_DECISION,
  MAX_HTML_PER_DECISION,
  MAX_MESSAGES_PER_DECISION,
  MAX_TEXT_STEPS,
  MAX_TIMER_DAYS,
  TIMER_KEY_MAX_LENGTH,
} from "../configuration.limits";
import type { CompiledConfiguration } from "./compiled-configuration";
import { timerData } from "./data-types";
import type { AskText, Effect, EffectError, TimerTexts } from "./effect";
import type { EffectDocument, LaterDocument } from "./effect-format";
import { DEFAULT_LOCALE, LocalFormats } from "./local-formats";
import { periodMs } from "./period";
import type { PolicyDocument } from "./policy-format";
import { type DecisionInput, readSituation } from "./read-situation";
import { StepBudget, TooExpensive } from "./step-budget";
import { DataRun } from "./texts/data-run";
import { HtmlRun } from "./texts/html-run";
import { PromptRun } from "./texts/prompt-run";
import { type TextLocale, TextRun } from "./texts/text-run";
import { TextError } from "./texts/text-value";
import type { ObjectValue } from "./value";

/** Returns the contact's locale, which may have a region, if it has the text's language; else the text's. */
function formatLocale(ofText: string, ofContact: string | null): string {
  if (ofContact === null) return ofText;
  const wanted = ofText.toLowerCase();
  return [...lookupTags(ofContact.toLowerCase())].includes(wanted) ? ofContact : ofText;
}

/** The texts rendered from a template. */
type Texts = Pick<Extract<Effect, { kind: "send" }>, "text" | "error" | "locale" | "subject" | "html">;

/** Creates the effects of one decision, which share limits on steps, messages and HTML. */
export class EffectWriter {
  readonly steps = new StepBudget(MAX_TEXT_STEPS);
  private messages = 0;
  private htmlLength = 0;
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
    if ("handoff" in effect) {
      const { handoff: reason, scope } = effect;
      return { ...done, kind: "handoff", reason, ...(scope === "contact" && { scope }) };
    }
    if ("close" in effect) return { ...done, kind: "close" };
    if ("later" in effect) return this.later(ruleId, effect);
    if ("cancelTimer" in effect) {
      const { value: key, error } = attempt(() => this.key(effect.cancelTimer));
      return { ruleId, error, kind: "cancelTimer", key };
    }
    if ("resend" in effect) return this.resend(ruleId, effect);
    return this.ask(ruleId, effect);
  }

  private ask(ruleId: string | null, { ask }: Extract<EffectDocument, { ask: object }>): Effect {
    const { prompt, maxLength = null, tags = [], handoff = false, review, history, texts: names } = ask;
    const { text, error: promptError } = this.texts(prompt, PromptRun);
    const texts: AskText[] = [];
    let error = promptError;
    for (const name of new Set(names)) {
      const written = this.texts(name, DataRun);
      error ??= written.error;
      texts.push({ name, text: written.text ?? "" });
    }
    if (texts.reduce((length, each) => length + each.text.length, 0) > ASK_TEXTS_MAX_LENGTH)
      error ??= TEXTS_TOO_LONG;
    const { topic } = this.configuration.settingsOf(prompt);
    const about = { ...(topic !== undefined && { topic }), ...this.review(review, "model", "all") };
    const asked = { template: prompt, prompt: text, ...about };
    const given = {
      ...(history !== undefined && { history }),
      ...(texts.length > 0 && error === null && { texts }),
    };
    return { ruleId, error, kind: "ask", ...asked, maxLength, tags, handoff, ...given };
  }

  private send(ruleId: string | null, own: Extract<EffectDocument, { send: string }>): Effect {
    const { send: template, line, reuse, delaySeconds = 0, review } = own;
    this.messages += 1;
    const { error, ...texts } =
      this.messages > MAX_MESSAGES_PER_DECISION
        ? { text: null, error: TOO_MANY_MESSAGES }
        : this.texts(template, TextRun);
    const settings = this.configuration.settingsOf(template);
    const { topic = settings.topic, urgent = settings.urgent } = own;
    const more = {
      ...(reuse && { reuse }),
      ...(topic !== undefined && { topic }),
      ...(urgent && { isUrgent: urgent }),
      ...this.review(review, "all"),
    };
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
            : failed.isUnapproved
              ? NOT_APPROVED
              : null;
    return {
      ruleId,
      error,
      kind: "send",
      template: null,
      text: error === null && failed !== undefined ? failed.text : null,
      ...(error === null && failed?.subject != null && { subject: failed.subject }),
      ...(error === null && failed?.html !== undefined && { html: failed.html }),
      resendOf: String(situation.data.messageId),
      ...(error === null && failed?.topic !== undefined && { topic: failed.topic }),
      ...(error === null && failed?.isUrgent && { isUrgent: true as const }),
      ...linesOf(line),
      delaySeconds: 0,
      ...this.review(undefined, "all"),
    };
  }

  /** Returns the reason for a required review, rule or policy; an empty object if none is required. */
  private review(
    own: true | undefined,
    ...policies: readonly NonNullable<PolicyDocument["review"]>[]
  ): { review?: ReviewDemand } {
    if (own) return { review: "rule" };
    const { review } = this.configuration.document.policy ?? {};
    return review !== undefined && policies.includes(review) ? { review: "policy" } : {};
  }

  /** Renders a template in the contact's language. */
  private texts(template: string, Run: typeof TextRun): Texts {
    const { locale, ...sources } = this.configuration.template(template, this.input.contact?.locale ?? null);
    const chosen = locale === null ? {} : { locale };
    const run = (Of: typeof TextRun) => new Of(this.roots, this.input.now, this.steps, this.place(locale));
    try {
      const text = this.configuration.parseText(sources.text).render(run(Run)).text;
      const written = { text, error: null, ...chosen };
      if (Run !== TextRun) return written;
      const subject =
        sources.subject && this.configuration.parseText(sources.subject).render(run(Run)).subject;
      const html = sources.html && this.configuration.parseHtml(sources.html).render(run(HtmlRun)).text;
      this.htmlLength += html?.length ?? 0;
      if (this.htmlLength > MAX_HTML_PER_DECISION)
        throw new TextError(
          `the HTML of the decision's messages has more than ${MAX_HTML_PER_DECISION} characters`,
        );
      return { ...written, ...(subject && { subject }), ...(html && { html }) };
    } catch (error) {
      return { text: null, error: effectErrorOf(error), ...chosen };
    }
  }

  /** Returns the locale and time zone for numbers and times in a text. */
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
    const data = timerData(templates, this.configuration.dataOf(type), (source) => this.inline(source));
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
    if (instant === undefined) throw new TextError("at must be a time such as 2026-01-31T12:00:00Z");
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

const WAS_RESENT: EffectError = { code: "conflict", message: "The message was already resent." };

const NOT_APPROVED: EffectError = { code: "conflict", message: "The message was not approved in time." };

/** Thrown for a timer that would be due too far in the future. */
class TooFarAhead extends Error {}

/** Computes part of an effect. Errors that affect only this effect are returned instead of thrown. */
function attempt<T>(part: () => T): { value: T | null; error: EffectError | null } {
  try {
    return { value: part(), error: null };
  } catch (error) {
    return { value: null, error: effectErrorOf(error) };
  }
}

const TEXTS_TOO_LONG: EffectError = {
  code: "template_error",
  message: `The texts for the model have more than ${ASK_TEXTS_MAX_LENGTH} characters in total.`,
};

/** The error for messages that exceed a decision's limit. */
const TOO_MANY_MESSAGES: EffectError = {
  code: "limit_reached",
  message: `A decision can send at most ${MAX_MESSAGES_PER_DECISION} messages.`,
};

/** The error for effects that exceed a decision's limit. */
const TOO_MANY_EFFECTS: EffectError = {
  code: "limit_reached",
  message: `A decision can have at most ${MAX_EFFECTS_PER_DECISION} effects.`,
};

/** Returns the effects with errors added to the effects and messages that exceed a decision's limits. */
export function withinLimits(effects: readonly Effect[]): Effect[] {
  let messages = 0;
  return effects.map((effect, i) => {
    if (i >= MAX_EFFECTS_PER_DECISION) return { ...effect, error: TOO_MANY_EFFECTS };
    if (effect.kind !== "send" || effect.error !== null) return effect;
    messages += 1;
    return messages > MAX_MESSAGES_PER_DECISION ? { ...effect, error: TOO_MANY_MESSAGES } : effect;
  });
}

function effectErrorOf(error: unknown): EffectError {
  if (error instanceof TextError) return { code: "template_error", message: error.message };
  if (error instanceof InvalidInput) {
    const [{ path, message } = { path: "situation", message: "is not valid" }] = error.problems;
    return { code: "invalid_request", message: `${path} ${message}` };
  }
  if (error instanceof TooFarAhead)
    return { code: "limit_reached", message: `A timer can wait at most ${MAX_TIMER_DAYS} days.` };
  if (!(error instanceof TooExpensive)) throw error;
  return { code: "too_expensive", message: "The texts of this decision take too many steps." };
}
