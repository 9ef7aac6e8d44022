import { setImmediate } from "node:timers/promises";
import { groupBy } from "../../../common/group-by";
import { canonicalLocale } from "../../../common/locales";
import { suggestion } from "../../../common/suggest";
import { excerpt } from "../../../credentials/redact-tokens";
import {
  MAX_MESSAGES_PER_DECISION,
  MAX_REPORTED,
  PROBLEM_MESSAGE_MAX_LENGTH,
  PROBLEM_PATH_MAX_LENGTH,
} from "../configuration.limits";
import { CompiledConfiguration } from "./compiled-configuration";
import { type DataType, parseDataType } from "./data-types";
import { inDocumentOrder } from "./document-order";
import { type EffectDocument, inlineTemplatesOf, templatesOf } from "./effect-format";
import { type ConfigurationDocument, declarationOf, fullSituationOf, ONCE_SUBJECTS } from "./format";
import { DEFAULT_LOCALE } from "./local-formats";
import { parseDocument, tooManyMembers } from "./parse-document";
import { type Problem, pathOf, SourceError } from "./problem";
import { ANY_SITUATION, MESSAGE_FAILED, RESERVED_SITUATIONS } from "./shapes";
import { soundParts } from "./sound-parts";
import { fullTemplateOf, type TemplateDocument } from "./template-format";
import { testProblems } from "./test-problems";
import { tokenProblems } from "./token-problems";
import { topicProblems } from "./topic-problems";
import { type Surroundings, warningsOf } from "./warnings";

/** The result of checking a document. */
export interface DocumentCheck {
  /** If there are none, the document can be published. */
  problems: Problem[];
  /** Probable mistakes in a valid document. */
  warnings: Problem[];
  /** The document, if its structure is valid. */
  document?: ConfigurationDocument;
}

/** Max time to check a document before other requests get a turn (ms). */
const TURN_MS = 10;

/** Creates a function that yields to other requests when the time is up. */
function takingTurns(): () => Promise<void> {
  let started = performance.now();
  return async () => {
    if (performance.now() - started <= TURN_MS) return;
    await setImmediate();
    started = performance.now();
  };
}

/**
 * Checks a document as a whole; parts with an invalid structure do not hide problems in other parts.
 * @param value a JSON value
 * @param surroundings the agent's lines and model, if the document is checked for an agent
 * @returns the problems in document order, `MAX_REPORTED` at most
 */
export async function checkDocument(value: unknown, surroundings?: Surroundings): Promise<DocumentCheck> {
  const parsed = parseDocument(value);
  if (!Array.isArray(parsed)) {
    const configuration = new CompiledConfiguration(parsed, false);
    const problems = await problemsIn(configuration);
    const warnings = [
      ...warningsOf(parsed, surroundings),
      ...(problems.length === 0 ? missingPlurals(configuration) : []),
      ...(problems.length === 0 && surroundings?.hasPublicUrl === false ? missingLinks(configuration) : []),
    ];
    return {
      problems: await reported(problems, value),
      warnings: await reported(warnings, value),
      document: parsed,
    };
  }
  const sound = parseDocument(soundParts(value, parsed));
  const others = Array.isArray(sound) ? [] : await problemsIn(new CompiledConfiguration(sound, false));
  return { problems: await reported([...parsed, ...others], value), warnings: [] };
}

/** The problems in a document with a valid structure. */
async function problemsIn(configuration: CompiledConfiguration): Promise<Problem[]> {
  const { document } = configuration;
  const problems = [
    ...tooManyMembers(document),
    ...tokenProblems(document),
    ...namesInUse(document),
    ...rulesOutOfBounds(document),
    ...timerProblems(document),
    ...topicProblems(document),
    ...testProblems(document),
  ];
  const rest = takingTurns();
  for (const check of [...conditionChecks(configuration), ...templateChecks(configuration)]) {
    problems.push(...check());
    await rest();
  }
  return problems;
}

/**
 * Sorts problems, suggests the names that were probably meant, and limits the number and length of problems, because
 * they quote the document.
 */
async function reported(problems: readonly Problem[], value: unknown): Promise<Problem[]> {
  const found: Problem[] = [];
  const rest = takingTurns();
  for (const { unknown, ...problem } of inDocumentOrder(problems, value).slice(0, MAX_REPORTED)) {
    const [name, known] = unknown ?? ["", []];
    const message = `${problem.message}${suggestion(name, known.slice(0, MAX_COMPARED))}`;
    found.push({
      ...problem,
      path: excerpt(problem.path, PROBLEM_PATH_MAX_LENGTH),
      message: excerpt(message, PROBLEM_MESSAGE_MAX_LENGTH),
    });
    await rest();
  }
  return found;
}

/** Max known names to compare an unknown name with, because comparing long names is slow. */
const MAX_COMPARED = 500;

/** The types of members that can be keys of situations. */
const KEY_TYPES: ReadonlySet<string> = new Set(["string", "int"]);

/** Finds names that are taken or missing: duplicate rule ids, reserved situations, missing templates and keys. */
function namesInUse({
  situations = {},
  templates = {},
  rules = [],
  otherwise = [],
}: ConfigurationDocument): Problem[] {
  const reserved = Object.keys(situations)
    .filter((type) => RESERVED_SITUATIONS.has(type))
    .map((type) => ({
      path: pathOf(["situations", type]),
      message: "is reserved for a situation that the gateway raises",
    }));
  const keys = Object.entries(situations).flatMap(([type, situation]): Problem[] => {
    const { key, data } = fullSituationOf(situation);
    if (key === undefined) return [];
    const path = pathOf(["situations", type, "key"]);
    if (!Object.hasOwn(data, key))
      return [{ path, message: "is not declared", unknown: [key, Object.keys(data)] }];
    const { base } = parseDataType(data[key] as DataType);
    return KEY_TYPES.has(base) ? [] : [{ path, message: "must be the name of a string or an int" }];
  });
  const repeated = rules.flatMap(({ id }, index) =>
    rules.findIndex((other) => other.id === id) < index
      ? [{ path: pathOf(["rules", index, "id"]), message: "is the id of another rule" }]
      : [],
  );
  const known = Object.keys(templates);
  const missing = (effects: readonly EffectDocument[], path: readonly PropertyKey[]) =>
    effects.flatMap((effect, index) =>
      templatesOf(effect).flatMap(([member, name]): Problem[] => {
        if (Object.hasOwn(templates, name)) return [];
        const message = "is not the name of a template";
        return [{ path: pathOf([...path, index, ...member]), message, unknown: [name, known] }];
      }),
    );
  return [
    ...reserved,
    ...keys,
    ...repeated,
    ...rules.flatMap((rule, index) => missing(rule.do ?? [], ["rules", index, "do"])),
    ...missing(otherwise, ["otherwise"]),
  ];
}

/** Finds translations of a template that could never be sent to a contact. */
function unknownLanguages(name: string, template: string | TemplateDocument): Problem[] {
  const tags = new Set<string>();
  return Object.keys(fullTemplateOf(template).locales ?? {}).flatMap((tag) => {
    const problem = (message: string) => [{ path: pathOf(["templates", name, "locales", tag]), message }];
    const canonical = canonicalLocale(tag);
    if (canonical === undefined) return problem("is not a known language tag");
    if (canonical.toLowerCase() !== tag.toLowerCase()) return problem(`must be written ${canonical}`);
    if (tags.has(canonical)) return problem("appears twice in the template");
    tags.add(canonical);
    return [];
  });
}

/** Finds lists of effects that could never be applied. */
function rulesOutOfBounds({ rules = [], otherwise = [] }: ConfigurationDocument): Problem[] {
  const check = (
    effects: readonly EffectDocument[],
    path: readonly PropertyKey[],
    isLast: boolean,
  ): Problem[] => {
    const asked = effects.findIndex((effect) => "ask" in effect);
    const problems: Problem[] = [];
    if (
      effects.filter((effect) => "send" in effect || "resend" in effect).length > MAX_MESSAGES_PER_DECISION
    ) {
      problems.push({
        path: pathOf(path),
        message: `must send at most ${MAX_MESSAGES_PER_DECISION} messages`,
      });
    }
    if (asked !== -1 && !(isLast && asked === effects.length - 1)) {
      problems.push({
        path: pathOf([...path, asked]),
        message: "must be the last effect of a rule that decides",
      });
    }
    return problems;
  };
  const duringHandoff = rules.flatMap(({ do: effects = [], whileHuman }, rule) =>
    effects.flatMap((effect, index) =>
      !whileHuman || WHILE_HUMAN.some((kind) => kind in effect)
        ? []
        : [
            {
              path: pathOf(["rules", rule, "do", index]),
              message:
                "must send a message, change tags, or set or cancel a timer, because a human may be answering",
            },
          ],
    ),
  );
  const reusing = (effects: readonly EffectDocument[], path: readonly PropertyKey[]) =>
    effects.flatMap((effect, index) =>
      "send" in effect && effect.reuse !== undefined && effect.line !== undefined
        ? [{ path: pathOf([...path, index, "reuse"]), message: "must not be used with a line" }]
        : [],
    );
  const hasAsk = otherwise.findIndex((effect) => "ask" in effect);
  return [
    ...rules.flatMap((rule, index) => check(rule.do ?? [], ["rules", index, "do"], !rule.continue)),
    ...check(otherwise, ["otherwise"], true),
    ...duringHandoff,
    ...rules.flatMap(({ on, do: effects = [] }, rule) =>
      on === MESSAGE_FAILED ? [] : resendsIn(effects, ["rules", rule, "do"]),
    ),
    ...resendsIn(otherwise, ["otherwise"]),
    ...rules.flatMap(({ do: effects = [] }, rule) => reusing(effects, ["rules", rule, "do"])),
    ...reusing(otherwise, ["otherwise"]),
    ...(hasAsk === -1
      ? []
      : [
          {
            path: pathOf(["otherwise", hasAsk]),
            message: "must not ask the model, because it is the model's fallback",
          },
        ]),
  ];
}

/** Finds effects that have no failed message to send again. */
const resendsIn = (effects: readonly EffectDocument[], path: readonly PropertyKey[]): Problem[] =>
  effects.flatMap((effect, index) =>
    "resend" in effect
      ? [{ path: pathOf([...path, index]), message: `must be in a rule for ${MESSAGE_FAILED}` }]
      : [],
  );

/** The kinds of effects that do not interfere with a human. */
const WHILE_HUMAN = ["send", "resend", "addTags", "removeTags", "later", "cancelTimer"];

/** Finds timers whose situations would always be rejected. */
function timerProblems(document: ConfigurationDocument): Problem[] {
  const { situations = {}, rules = [], otherwise = [], strict } = document;
  const types = Object.keys(situations);
  const check = (effects: readonly EffectDocument[], path: readonly PropertyKey[]): Problem[] =>
    effects.flatMap((effect, index) => {
      if (!("later" in effect)) return [];
      const { situation: type, data = {} } = effect.later;
      const problem = (
        at: readonly PropertyKey[],
        message: string,
        rest: Pick<Problem, "unknown"> = {},
      ): Problem => ({ path: pathOf([...path, index, "later", ...at]), message, ...rest });
      if (RESERVED_SITUATIONS.has(type)) return [problem(["situation"], "is a situation of the gateway")];
      const declared = declarationOf(document, type)?.data;
      if (declared === undefined) {
        const unknown = [type, types] as const;
        return strict ? [problem(["situation"], "must be a declared situation", { unknown })] : [];
      }
      return [
        ...Object.keys(data)
          .filter((name) => !Object.hasOwn(declared, name))
          .map((name) =>
            problem(["data", name], "is not declared", { unknown: [name, Object.keys(declared)] }),
          ),
        ...Object.entries(declared)
          .filter(([name, each]) => !Object.hasOwn(data, name) && !parseDataType(each).isOptional)
          .map(([name]) => problem(["data", name], "is required")),
      ];
    });
  return [
    ...rules.flatMap((rule, index) => check(rule.do ?? [], ["rules", index, "do"])),
    ...check(otherwise, ["otherwise"]),
  ];
}

type Check = () => Problem[];

const problemOf = (path: readonly PropertyKey[], { message, position }: SourceError): Problem => ({
  path: pathOf(path),
  message,
  ...(position && { position }),
});

/** Runs a part of the check, and reports its SourceError as a problem. */
function attempt(path: readonly PropertyKey[], part: () => SourceError[]): Problem[] {
  try {
    return part().map((error) => problemOf(path, error));
  } catch (error) {
    if (error instanceof SourceError) return [problemOf(path, error)];
    throw error;
  }
}

const conditionChecks = (configuration: CompiledConfiguration): Check[] =>
  (configuration.document.rules ?? []).flatMap(({ on, when = [], once }, rule) => {
    const check = (path: readonly PropertyKey[], parse: () => unknown) => () =>
      attempt(["rules", rule, ...path], () => {
        parse();
        return [];
      });
    const clauses = when.map((source, clause) =>
      check(["when", clause], () => configuration.parseCondition(source, on)),
    );
    return once === undefined || ONCE_SUBJECTS.has(once.per)
      ? clauses
      : [...clauses, check(["once", "per"], () => configuration.parseOnceKey(once.per, on))];
  });

/** Checks each template against every situation that uses it. */
function templateChecks(configuration: CompiledConfiguration): Check[] {
  const { templates = {}, rules = [], otherwise = [] } = configuration.document;
  const uses = [
    ...rules.flatMap(({ on, do: effects = [] }) => effects.map((effect) => ({ on, effect }))),
    ...otherwise.map((effect) => ({ on: ANY_SITUATION, effect })),
  ].flatMap((use) => templatesOf(use.effect).map(([, name]) => ({ ...use, name })));
  const usesOf = groupBy(uses, ({ name }) => name);
  const inline = (effects: readonly EffectDocument[], path: readonly PropertyKey[], on: string): Check[] =>
    effects.flatMap((effect, index) =>
      inlineTemplatesOf(effect).map(
        ([at, source]) =>
          () =>
            attempt([...path, index, ...at], () =>
              configuration.parseText(source).missingNames([configuration.shapesFor(on)], MAX_REPORTED),
            ),
      ),
    );
  const named = Object.entries(templates).flatMap(([name, template]) => {
    const own = usesOf.get(name) ?? [];
    const types = new Set(own.map(({ on }) => on));
    if (types.size === 0) types.add(ANY_SITUATION);
    const { topic } = configuration.settingsOf(name);
    const hasTopic =
      own.length === 0
        ? topic !== undefined
        : own.every(({ effect }) => "send" in effect && (effect.topic ?? topic) !== undefined);
    const texts = sourcesOf(template).map(([path, source]) => () => {
      const hasLink = hasTopic && path.at(-1) !== "subject";
      const shapes = [...types].map((type) => ({
        ...configuration.shapesFor(type),
        ...(hasLink && { unsubscribeUrl: "value" as const }),
      }));
      return attempt(["templates", name, ...path], () =>
        parsed(configuration, path, source).missingNames(shapes, MAX_REPORTED),
      );
    });
    return [() => unknownLanguages(name, template), ...texts];
  });
  return [
    ...named,
    ...rules.flatMap((rule, index) => inline(rule.do ?? [], ["rules", index, "do"], rule.on)),
    ...inline(otherwise, ["otherwise"], ANY_SITUATION),
  ];
}

/** Finds texts in languages that have more plural forms. */
function missingPlurals(configuration: CompiledConfiguration): Problem[] {
  const { templates = {}, locale: own = DEFAULT_LOCALE } = configuration.document;
  return Object.entries(templates).flatMap(([name, template]) =>
    sourcesOf(template).flatMap(([path, source]) => {
      const locale = path[0] === "locales" ? (path[1] as string) : own;
      return attempt(["templates", name, ...path], () =>
        parsed(configuration, path, source).missingPlurals(locale),
      );
    }),
  );
}

/** Finds texts with an unsubscribe link, which requires `PUBLIC_URL`. */
function missingLinks(configuration: CompiledConfiguration): Problem[] {
  const { templates = {} } = configuration.document;
  return Object.entries(templates).flatMap(([name, template]) =>
    sourcesOf(template)
      .filter(([path, source]) => parsed(configuration, path, source).reads("unsubscribeUrl"))
      .map(([path]) => ({
        path: pathOf(["templates", name, ...path]),
        message: "uses unsubscribeUrl, which requires PUBLIC_URL",
      })),
  );
}

/** Parses a source of a template. */
const parsed = (configuration: CompiledConfiguration, path: readonly string[], source: string) =>
  path.at(-1) === "html" ? configuration.parseHtml(source) : configuration.parseText(source);

/** The sources of a template, with their paths in it. */
function sourcesOf(template: string | TemplateDocument): [path: readonly string[], source: string][] {
  if (typeof template === "string") return [[[], template]];
  const { text, subject, html, locales = {} } = template;
  const own = Object.entries({ text, subject, html });
  return [
    ...own.flatMap(([name, source]): [string[], string][] =>
      source === undefined ? [] : [[[name], source]],
    ),
    ...Object.entries(locales).flatMap(([tag, own]) =>
      sourcesOf(own).map(([path, source]): [string[], string] => [["locales", tag, ...path], source]),
    ),
  ];
}
