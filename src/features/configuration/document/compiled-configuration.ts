// One class, because rules, conditions and texts are parsed on first use, into caches that belong to one document.

import type { Environment } from "@marcbachmann/cel-js";
import { LRUCache } from "lru-cache";
import { getOrCreate } from "../../../common/get-or-create";
import { lookupTags } from "../../../common/locales";
import { nearest } from "../../../common/suggest";
import type { Topic } from "../../contacts/topic";
import { SITUATION_KEY_MAX_LENGTH } from "../configuration.limits";
import { Condition, OnceKey } from "./conditions/condition";
import { commonEnvironment, environmentOf } from "./conditions/environment";
import { ContactPolicy } from "./contact-policy";
import type { DataDeclaration } from "./data-types";
import type { EffectDocument } from "./effect-format";
import {
  type ConfigurationDocument,
  declarationOf,
  effectsOf,
  ONCE_SUBJECTS,
  type RuleDocument,
} from "./format";
import {
  ANY_SITUATION,
  CONVERSATION_RELEASED,
  MESSAGE_FAILED,
  RESERVED_SITUATIONS,
  type Shapes,
  shapesOf,
} from "./shapes";
import { fullTemplateOf, type TemplateDocument } from "./template-format";
import { HtmlScanner } from "./texts/html-scanner";
import type { TextTemplate } from "./texts/template";

/** A situation as submitted, whose data has not been read yet. */
export interface SubmittedSituation {
  type: string;
  data: Readonly<Record<string, unknown>>;
}

/** A rule with its parsed conditions. */
export interface CompiledRule {
  document: RuleDocument;
  conditions: readonly Condition[];
  /** The expression in `once.per`; undefined if there is none. */
  onceKey: OnceKey | undefined;
  /** Parses the conditions that have not been parsed yet, one per step. */
  parse(): Generator<void, void>;
}

/** A template's sources in one language. */
export interface TemplateVersion {
  /** The language tag as in the document; null for the template's own text. */
  locale: string | null;
  text: string;
  subject?: string | undefined;
  html?: string | undefined;
}

/** The names available to conditions and templates in situations of one type. */
interface Context {
  shapes: Shapes;
  environment: Environment;
}

/** A configuration document whose parts are parsed on first use; published versions are known to be valid. */
export class CompiledConfiguration {
  private readonly contexts = new Map<string, Context>();
  private readonly templates = new Map<string, ReadonlyMap<string | null, TemplateVersion>>();
  /** The parsed text templates, by their source. */
  private readonly texts = new Map<string, TextTemplate>();
  private readonly htmls = new Map<string, TextTemplate>();
  private readonly rules: readonly CompiledRule[];
  /** Cached, because finding the most similar of a hundred type names can extend a transaction by 8 ms. */
  private readonly nearestTypes = new LRUCache<string, { type: string | null }>({ max: 100 });
  /** The message policy; undefined if the agent may write to anyone at any time. */
  readonly policy: ContactPolicy | undefined;
  /** True if decisions without a contact share state, such as timers or counts for `once`. */
  readonly sharesState: boolean;
  private readonly rulesByType = new Map<string, readonly CompiledRule[]>();
  /** Lists of rules whose conditions have all been parsed. */
  private readonly parsed = new WeakSet<readonly CompiledRule[]>();

  /** @param isChecked true if the whole document was checked, not only its structure */
  constructor(
    readonly document: ConfigurationDocument,
    private readonly isChecked: boolean,
  ) {
    this.policy = policyOf(document);
    this.sharesState =
      effectsOf(document).some(({ effect }) => "later" in effect || "cancelTimer" in effect) ||
      (document.rules ?? []).some(({ once }) => once !== undefined && !ONCE_SUBJECTS.has(once.per));
    this.rules = (document.rules ?? []).map((rule) => this.ruleOf(rule));
    const types = new Set(this.rules.map(({ document: { on } }) => on));
    for (const type of types) this.rulesByType.set(type, this.rules.filter(isFor(type)));
  }

  /** Returns a situation type's rules, in order; undeclared types have only the rules for all types. */
  rulesFor(type: string): readonly CompiledRule[] {
    const own = this.dataOf(type) && this.rulesByType.get(type);
    return own ?? this.rulesByType.get(ANY_SITUATION) ?? [];
  }

  /** Parses a situation type's conditions, one per step, because all at once may take 100 ms. */
  *parse(type: string): Generator<void, void> {
    const rules = this.rulesFor(type);
    if (this.parsed.has(rules)) return;
    for (const rule of rules) yield* rule.parse();
    this.parsed.add(rules);
  }

  /** Returns the effects to apply if no rule decides. Built-in situations other than `message.received` have none. */
  otherwiseFor(type: string): readonly EffectDocument[] {
    return WITHOUT_OTHERWISE.has(type) ? [] : (this.document.otherwise ?? []);
  }

  /** Returns the declared or reserved form of a situation type's data; undefined if any data is allowed. */
  dataOf(type: string): DataDeclaration | undefined {
    return RESERVED_SITUATIONS.get(type) ?? declarationOf(this.document, type)?.data;
  }

  /** Reads a situation's key; null if it has none, undefined if it is too long to be stored. */
  keyOf({ type, data }: SubmittedSituation): string | null | undefined {
    const { key } = declarationOf(this.document, type) ?? {};
    const value = key !== undefined && Object.hasOwn(data, key) ? data[key] : null;
    if ((typeof value !== "string" && typeof value !== "number") || value === "") return null;
    return [...String(value)].length <= SITUATION_KEY_MAX_LENGTH ? String(value) : undefined;
  }

  /** Returns the declared or reserved type with the most similar name; null if none is similar. */
  nearestType(type: string): string | null {
    return getOrCreate(this.nearestTypes, type, () => ({
      type: nearest(type, situationTypes(this.document)),
    })).type;
  }

  /** Returns the names available to conditions and templates in situations of a type. */
  shapesFor(type: string): Shapes {
    return this.contextOf(type).shapes;
  }

  /** @throws SourceError if the condition is not valid */
  parseCondition(source: string, type: string): Condition {
    const { environment, shapes } = this.contextOf(type);
    return Condition.parse(source, environment, shapes, this.isChecked);
  }

  /** @throws SourceError if the expression is not valid or does not evaluate to a string */
  parseOnceKey(source: string, type: string): OnceKey {
    const { environment, shapes } = this.contextOf(type);
    return OnceKey.parse(source, environment, shapes, this.isChecked);
  }

  /** Returns a template in the contact's language; for null, the template's own text. */
  template(name: string, locale: string | null): TemplateVersion {
    const versions = getOrCreate(this.templates, name, () => versionsOf(this.templateNamed(name) ?? ""));
    if (locale !== null && versions.size > 1) {
      for (const tag of lookupTags(locale.toLowerCase())) {
        const found = versions.get(tag);
        if (found) return found;
      }
    }
    return versions.get(null) as TemplateVersion;
  }

  /** @throws SourceError if the text is not valid */
  parseText(source: string): TextTemplate {
    return this.parseOnce(source, this.texts, () => undefined);
  }

  /**
   * Parses a template's HTML, and checks it unless the whole document was checked.
   * @throws SourceError if the HTML is not valid
   */
  parseHtml(source: string): TextTemplate {
    return this.parseOnce(source, this.htmls, () => (this.isChecked ? undefined : new HtmlScanner()));
  }

  /** The policy's topics, in document order. */
  get topics(): Topic[] {
    const { topics = {} } = this.document.policy ?? {};
    return Object.entries(topics).map(([name, topic]) => ({
      name,
      title: topic.title,
      default: topic.default,
    }));
  }

  /** Returns the settings that a template defines for its messages. */
  settingsOf(name: string): Pick<TemplateDocument, "topic" | "urgent"> {
    const template = this.templateNamed(name);
    return typeof template === "object" ? template : {};
  }

  private templateNamed(name: string): string | TemplateDocument | undefined {
    const { templates = {} } = this.document;
    return Object.hasOwn(templates, name) ? templates[name] : undefined;
  }

  private parseOnce(
    source: string,
    parsed: Map<string, TextTemplate>,
    scanner: () => HtmlScanner | undefined,
  ): TextTemplate {
    return getOrCreate(parsed, source, () => {
      const { TextTemplate }: typeof import("./texts/template") = require("./texts/template");
      return TextTemplate.parse(source, scanner());
    });
  }

  private ruleOf(document: RuleDocument): CompiledRule {
    const { when = [], on, once } = document;
    const conditions: Condition[] = [];
    let onceKey: OnceKey | undefined;
    const parseOnceKey = () => {
      if (once !== undefined && !ONCE_SUBJECTS.has(once.per)) onceKey ??= this.parseOnceKey(once.per, on);
      return onceKey;
    };
    const parseNext = () => conditions.push(this.parseCondition(when[conditions.length] as string, on));
    return {
      document,
      get conditions() {
        while (conditions.length < when.length) parseNext();
        return conditions;
      },
      get onceKey() {
        return parseOnceKey();
      },
      *parse() {
        while (conditions.length < when.length) yield void parseNext();
        parseOnceKey();
      },
    };
  }

  private contextOf(type: string): Context {
    // Undeclared situations share one context, because clients may send an unlimited number of types.
    const data = this.dataOf(type);
    const key = data ? type : ANY_SITUATION;
    return getOrCreate(this.contexts, key, () => ({
      shapes: shapesOf(key, data),
      environment: this.isChecked ? commonEnvironment() : environmentOf(key, data),
    }));
  }
}

/** Returns a template's versions by lowercase language tag, with the template's own text under null. */
function versionsOf(template: string | TemplateDocument): ReadonlyMap<string | null, TemplateVersion> {
  const { text, subject, html, locales = {} } = fullTemplateOf(template);
  const translations = Object.entries(locales).map(
    ([locale, own]) => [locale.toLowerCase(), { locale, subject, ...own }] as const,
  );
  return new Map<string | null, TemplateVersion>([
    [null, { locale: null, text, subject, html }],
    ...translations,
  ]);
}

const WITHOUT_OTHERWISE: ReadonlySet<string> = new Set([CONVERSATION_RELEASED, MESSAGE_FAILED]);

/** Returns the situation types that a document's rules can apply to: declared and built-in types. */
export const situationTypes = ({ situations = {} }: ConfigurationDocument): string[] => [
  ...Object.keys(situations),
  ...RESERVED_SITUATIONS.keys(),
];

/** Returns a document's policy; undefined if there is none. */
export const policyOf = ({ policy, zone }: ConfigurationDocument): ContactPolicy | undefined =>
  policy && new ContactPolicy(policy, zone);

const isFor =
  (type: string) =>
  ({ document: { on } }: CompiledRule): boolean =>
    on === type || on === ANY_SITUATION;
