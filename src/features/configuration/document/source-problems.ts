import { groupBy } from "../../../common/group-by";
import { canonicalLocale } from "../../../common/locales";
import { MAX_REPORTED } from "../configuration.limits";
import type { CompiledConfiguration } from "./compiled-configuration";
import { inlineTemplatesOf, templatesOf } from "./effect-format";
import { effectsOf, ONCE_SUBJECTS } from "./format";
import { DEFAULT_LOCALE } from "./local-formats";
import { type Problem, pathOf, problemAt, SourceError } from "./problem";
import { ANY_SITUATION } from "./shapes";
import { fullTemplateOf, type TemplateDocument } from "./template-format";
import type { TextTemplate } from "./texts/template";

/** A short step of a document check. */
export type Check = () => Problem[];

const problemOf = (path: readonly PropertyKey[], { message, position, unknown }: SourceError): Problem => ({
  ...problemAt(path, message, unknown),
  ...(position && { position }),
});

/** Runs a step, and reports a SourceError thrown by the step as a problem. */
function attempt(path: readonly PropertyKey[], part: () => SourceError[]): Problem[] {
  try {
    return part().map((error) => problemOf(path, error));
  } catch (error) {
    if (error instanceof SourceError) return [problemOf(path, error)];
    throw error;
  }
}

/** Type-checks each condition against the situation type of its rule. */
export const conditionChecks = (configuration: CompiledConfiguration): Check[] =>
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
export function templateChecks(configuration: CompiledConfiguration): Check[] {
  const { templates = {} } = configuration.document;
  const effects = effectsOf(configuration.document);
  const uses = effects.flatMap(({ effect, on }) =>
    templatesOf(effect).map(([, name]) => ({ effect, on, name })),
  );
  const usesOf = groupBy(uses, ({ name }) => name);
  const inline = effects.flatMap(({ effect, path, on }) =>
    inlineTemplatesOf(effect).map(
      ([at, source]) =>
        () =>
          attempt([...path, ...at], () =>
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
  return [...named, ...inline];
}

/** Finds translations of a template that could never be sent to a contact. */
function unknownLanguages(name: string, template: string | TemplateDocument): Problem[] {
  const tags = new Set<string>();
  return Object.keys(fullTemplateOf(template).locales ?? {}).flatMap((tag) => {
    const problem = (message: string) => [{ path: pathOf(["templates", name, "locales", tag]), message }];
    const canonical = canonicalLocale(tag);
    if (canonical === undefined) return problem("is not a known language tag");
    if (canonical.toLowerCase() !== tag.toLowerCase()) return problem(`must be written as ${canonical}`);
    if (tags.has(canonical)) return problem("appears twice in the template");
    tags.add(canonical);
    return [];
  });
}

/** Checks that each text has all the plural forms that its language requires. */
export function pluralChecks(configuration: CompiledConfiguration): Check[] {
  const { locale: own = DEFAULT_LOCALE } = configuration.document;
  return validTexts(configuration, (text, path) => {
    const locale = path[0] === "locales" ? (path[1] as string) : own;
    return text.missingPlurals(locale, MAX_REPORTED);
  });
}

/** Reports unsubscribe links in texts. Used if `PUBLIC_URL`, which the links require, is not set. */
export function linkChecks(configuration: CompiledConfiguration): Check[] {
  return validTexts(configuration, (text) =>
    text.reads("unsubscribeUrl") ? [new SourceError("uses unsubscribeUrl, which requires PUBLIC_URL")] : [],
  );
}

/** Checks the texts that can be parsed; the others have problems. */
function validTexts(
  configuration: CompiledConfiguration,
  check: (text: TextTemplate, path: readonly string[]) => SourceError[],
): Check[] {
  const { templates = {} } = configuration.document;
  return Object.entries(templates).flatMap(([name, template]) =>
    sourcesOf(template).map(([path, source]) => () => {
      let text: TextTemplate;
      try {
        text = parsed(configuration, path, source);
      } catch (error) {
        if (error instanceof SourceError) return [];
        throw error;
      }
      return check(text, path).map((error) => problemOf(["templates", name, ...path], error));
    }),
  );
}

/** Parses one of a template's sources. */
const parsed = (configuration: CompiledConfiguration, path: readonly string[], source: string) =>
  path.at(-1) === "html" ? configuration.parseHtml(source) : configuration.parseText(source);

/** Returns a template's sources, with their paths in the template. */
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
