import { z } from "zod";
import {
  CLAUSE_MAX_LENGTH,
  DEFAULT_BURST_SECONDS,
  MAX_ASKS_PER_DAY,
  MAX_BURST_SECONDS,
  MAX_CLAUSES,
  MAX_ONCE_DAYS,
  MAX_RELEASE_DAYS,
  MAX_RULES,
  MAX_SITUATIONS,
  MAX_TEMPLATES,
  MIN_RELEASE_MS,
  SITUATION_TYPE_MAX_LENGTH,
} from "../configuration.limits";
import { DATA_TYPES } from "./data-types";
import { type EffectDocument, effects } from "./effect-format";
import {
  locale,
  member,
  nonEmpty,
  optional,
  ruleGroup,
  ruleId,
  SITUATION_TYPE,
  situationType,
} from "./names";
import { isPeriodUpTo, periodUpTo } from "./period";
import { policy, zone } from "./policy-format";
import { ANY_SITUATION } from "./shapes";
import { templates } from "./template-format";
import { tests } from "./tests-format";

const releasePeriod = z
  .string()
  .refine(
    isPeriodUpTo(MAX_RELEASE_DAYS, MIN_RELEASE_MS),
    `must be a period such as PT8H, from a minute to ${MAX_RELEASE_DAYS} days`,
  );

const situationData = z
  .record(member, z.enum(DATA_TYPES as [(typeof DATA_TYPES)[number], ...typeof DATA_TYPES]))
  .describe("The members of the situation's data, each with its type. `?` makes a member optional.");

/** A situation's declaration, optionally with a key. */
const fullSituation = z.strictObject({
  data: situationData,
  key: optional(member, "The string or int member to search decisions by, such as an order ID."),
});

const situations = z
  .record(situationType, z.union([situationData, fullSituation]))
  .describe("The situations that the agent knows, by type.");

const clause = nonEmpty(CLAUSE_MAX_LENGTH);

const rule = z.strictObject({
  id: ruleId.describe("Unique among the rules."),
  on: z
    .union([z.literal(ANY_SITUATION), situationType])
    .describe("Type of situation that the rule applies to, or * for all types, even undeclared ones."),
  when: optional(
    z.array(clause).max(MAX_CLAUSES),
    "Conditions in CEL. The rule matches if all are met, or if there are none.",
  ),
  do: optional(effects, "Effects of the rule, in order. With an empty list, the agent does nothing."),
  whileHuman: optional(
    z.boolean(),
    "True to apply the rule even while a human answers. Such a rule can only send messages, change tags, and set or cancel timers.",
  ),
  continue: optional(z.boolean(), "True to try later rules after this one has matched."),
  once: optional(
    z.strictObject({
      per: z
        .union([z.enum(["contact", "conversation"]), clause])
        .describe(
          "`contact`, `conversation`, or a CEL expression that returns a string. Each string is tracked separately for each contact.",
        ),
      within: periodUpTo(MAX_ONCE_DAYS, "PT15M or P1D").describe(
        `An ISO 8601 duration, at most P${MAX_ONCE_DAYS}D.`,
      ),
      group: optional(ruleGroup, "Rules in the same group share one count."),
    }),
    "Prevents the rule, or the rules of its group, from matching again within a period.",
  ),
});

/** The format of configuration documents, version 1. */
export const documentFormat = z
  .strictObject({
    $schema: optional(z.string().max(200), "Used by editors and ignored by the gateway."),
    format: z.literal(1).describe("Version of this format."),
    defaultContact: optional(
      nonEmpty(255).nullable(),
      "The ref of the contact that receives messages sent in situations without a contact.",
    ),
    burstSeconds: optional(
      z.int().min(0).max(MAX_BURST_SECONDS),
      `Time that the agent waits for more messages before it decides (s). Defaults to ${DEFAULT_BURST_SECONDS}.`,
    ),
    releaseAfter: optional(
      releasePeriod,
      `Time until a handed-off conversation is released, measured from when a human last took over or answered: an ISO 8601 duration from PT1M to P${MAX_RELEASE_DAYS}D. If omitted, conversations are not released automatically.`,
    ),
    zone: optional(zone, "Time zone for dates if the contact has none. Defaults to UTC."),
    locale: optional(
      locale,
      "Default language of the texts, for numbers, dates and plurals. Defaults to en.",
    ),
    situations: situations.optional(),
    templates: templates.optional(),
    policy: policy.optional(),
    rules: optional(
      z.array(rule).max(MAX_RULES),
      "Rules, tried in order. The first rule whose conditions are all met decides.",
    ),
    strict: optional(
      z.boolean(),
      "True to reject situations of undeclared types, which are accepted by default.",
    ),
    maxAsksPerDay: optional(
      z.int().min(0).max(MAX_ASKS_PER_DAY),
      "Max requests that the agent makes to the model per day (UTC). Beyond the limit, `otherwise` applies. Unlimited by default.",
    ),
    otherwise: optional(effects, "Effects to apply if no rule decides."),
    tests: tests.optional(),
  })
  .describe("An agent's configuration.");

/** A configuration document with a valid structure. */
export type ConfigurationDocument = z.infer<typeof documentFormat>;
export type RuleDocument = NonNullable<ConfigurationDocument["rules"]>[number];
type SituationDocument = z.infer<typeof fullSituation>;

/** The forms of a situation's declaration: only the data's members, or data with an optional key. */
export const SITUATIONS = { data: situationData, full: fullSituation };

const isFullSituation = (
  situation: z.infer<typeof situationData> | SituationDocument,
): situation is SituationDocument => typeof situation.data === "object";

/** Returns a situation's declaration in its full form, with the data and an optional key. */
export const fullSituationOf = (
  situation: z.infer<typeof situationData> | SituationDocument,
): SituationDocument => (isFullSituation(situation) ? situation : { data: situation });

/** Returns a situation type's declaration; undefined if the document has none. */
export function declarationOf(
  { situations = {} }: ConfigurationDocument,
  type: string,
): SituationDocument | undefined {
  const declared = Object.hasOwn(situations, type) ? situations[type] : undefined;
  return declared && fullSituationOf(declared);
}

/** The subjects that `once.per` can name; any other value is an expression. */
export const ONCE_SUBJECTS: ReadonlySet<string> = new Set(["contact", "conversation"]);

/** An effect with its location in a document. */
export interface PlacedEffect {
  effect: EffectDocument;
  path: readonly PropertyKey[];
  /** The situation type that the effect applies to, or `*`. */
  on: string;
  /** The effect's rule; undefined for an effect of `otherwise`. */
  rule?: RuleDocument;
}

/** Returns a document's effects, in order. */
export const effectsOf = ({ rules = [], otherwise = [] }: ConfigurationDocument): PlacedEffect[] => [
  ...rules.flatMap((rule, index) =>
    (rule.do ?? []).map((effect, at) => ({ effect, path: ["rules", index, "do", at], on: rule.on, rule })),
  ),
  ...otherwise.map((effect, at) => ({ effect, path: ["otherwise", at], on: ANY_SITUATION })),
];

/** True if a string is a valid situation type, declared or not. */
export const isSituationType = (type: string): boolean =>
  type.length <= SITUATION_TYPE_MAX_LENGTH && SITUATION_TYPE.test(type);

/** Returns the format as JSON Schema (2020-12) for editors; JSON Schema cannot express some of the limits. */
export const documentJsonSchema = (): object => {
  const { properties, ...schema } = z.toJSONSchema(documentFormat, { target: "draft-2020-12", io: "input" });
  const { situations, templates } = properties as Record<string, object>;
  return {
    ...schema,
    title: "An agent's configuration",
    properties: {
      ...properties,
      situations: { ...situations, maxProperties: MAX_SITUATIONS },
      templates: { ...templates, maxProperties: MAX_TEMPLATES },
    },
  };
};
