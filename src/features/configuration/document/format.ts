import { z } from "zod";
import { canonicalLocale, LOCALE_MAX_LENGTH } from "../../../common/locales";
import { MAX_TOPICS } from "../../contacts/contact.limits";
import { MESSAGE_TEXT_MAX_LENGTH } from "../../messages/message.limits";
import {
  CLAUSE_MAX_LENGTH,
  DEFAULT_BURST_SECONDS,
  HANDOFF_REASON_MAX_LENGTH,
  MAX_ASK_TEXTS,
  MAX_ASKS_PER_DAY,
  MAX_BURST_SECONDS,
  MAX_CLAUSES,
  MAX_DATA_ITEMS,
  MAX_DATA_MEMBERS,
  MAX_DELAY_SECONDS,
  MAX_EFFECTS,
  MAX_HISTORY,
  MAX_LINES_OF_MESSAGE,
  MAX_LOCALES,
  MAX_ONCE_DAYS,
  MAX_RELEASE_DAYS,
  MAX_RULES,
  MAX_SITUATIONS,
  MAX_TEMPLATES,
  MAX_TIMER_DAYS,
  MIN_RELEASE_MS,
  NAME_MAX_LENGTH,
  SITUATION_TYPE_MAX_LENGTH,
  TEMPLATE_MAX_LENGTH,
} from "../configuration.limits";
import { DATA_TYPES } from "./data-types";
import { line, matching, name, SITUATION_TYPE, situationType, tag } from "./names";
import { isPeriodUpTo } from "./period";
import { policy, zone } from "./policy-format";
import { ANY_SITUATION } from "./shapes";
import { tests } from "./tests-format";

const member = matching(/^[A-Za-z][A-Za-z0-9_]*$/, NAME_MAX_LENGTH, "a letter, then letters, digits and _");

const tags = z.array(tag).min(1).max(50);

const period = z.string().refine(isPeriodUpTo(MAX_ONCE_DAYS), {
  error: `must be a period such as PT15M or P1D, of at most ${MAX_ONCE_DAYS} days`,
});

const releasePeriod = z.string().refine(isPeriodUpTo(MAX_RELEASE_DAYS, MIN_RELEASE_MS), {
  error: `must be a period such as PT8H, from a minute to ${MAX_RELEASE_DAYS} days`,
});

/** The events that can cancel a timer. */
export const TIMER_CANCELERS = ["message.received", "handoff", "closed"] as const;

export type TimerCanceler = (typeof TIMER_CANCELERS)[number];

const situationData = z
  .record(member, z.enum(DATA_TYPES as [(typeof DATA_TYPES)[number], ...typeof DATA_TYPES]))
  .describe("The members of the situation's data, each with its type; `?` makes a member optional.");

/** A situation that may name its key. */
const fullSituation = z.strictObject({
  data: situationData,
  key: member
    .describe("The string or int member to search decisions by, such as the ID of an order.")
    .optional(),
});

const situations = z
  .record(situationType, z.union([situationData, fullSituation]))
  .describe("The situations that the agent knows, by type.");

const text = z.string().min(1).max(TEMPLATE_MAX_LENGTH).describe("The text, as a Liquid template.");
const subject = z
  .string()
  .min(1)
  .max(TEMPLATE_MAX_LENGTH)
  .describe(
    "Subject of an e-mail that starts a conversation, as a Liquid template; the line's subject by default.",
  )
  .optional();

const html = z
  .string()
  .min(1)
  .max(TEMPLATE_MAX_LENGTH)
  .describe(
    "The text as HTML for e-mails, as a Liquid template whose values are escaped; other lines send the text.",
  )
  .optional();

const language = matching(
  /^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*$/,
  LOCALE_MAX_LENGTH,
  "a BCP 47 tag such as de-CH",
);

const urgent = z
  .boolean()
  .describe(
    "True to bypass windows and caps, and to send the message before others that wait for the line's rate.",
  )
  .optional();

const topic = name
  .describe(
    "The policy topic that the message is about; it is sent only if the contact consents to the topic.",
  )
  .optional();

const review = z
  .literal(true)
  .describe("Requires a person to approve the message before it is sent.")
  .optional();

/** A template with other members besides its text. */
const fullTemplate = z.strictObject({
  text,
  subject,
  html,
  topic,
  urgent,
  locales: z
    .record(language, z.strictObject({ text, subject, html }))
    .describe("The text in other languages, by BCP 47 tag; the best match for the contact is used.")
    .optional(),
});

const templates = z
  .record(name, z.union([text, fullTemplate]))
  .describe("The texts that the agent sends, as Liquid templates.");

const clause = z.string().min(1).max(CLAUSE_MAX_LENGTH);

const lines = z.union([line, z.array(line).min(1).max(MAX_LINES_OF_MESSAGE)]);

const send = z.strictObject({
  send: name.describe("Name of the template."),
  line: lines
    .describe(
      "Name of the line to open a conversation on if the situation names no conversation, or a list to use the first line that can reach the contact; the default line if omitted.",
    )
    .optional(),
  reuse: z
    .literal("latest")
    .describe(
      "Without `line`: sends in the contact's latest open conversation that can reach the contact, on any line; otherwise on the default line.",
    )
    .optional(),
  delaySeconds: z
    .int()
    .min(0)
    .max(MAX_DELAY_SECONDS)
    .describe("Time to wait before queuing the message, at most 90 days; other messages do not wait for it.")
    .optional(),
  topic,
  urgent,
  review,
});
const addTags = z.strictObject({ addTags: tags.describe("Tags to add to the contact.") });
const removeTags = z.strictObject({ removeTags: tags.describe("Tags to remove from the contact.") });
const move = z.strictObject({
  move: line.describe("Name of the line to move the conversation to."),
  pending: z.enum(["cancel", "carry"]).describe("Policy for queued messages; cancel by default.").optional(),
});
const handoff = z.strictObject({
  handoff: z
    .string()
    .min(1)
    .max(HANDOFF_REASON_MAX_LENGTH)
    .describe("Why the conversation is handed off to a human."),
  scope: z
    .enum(["conversation", "contact"])
    .describe(
      "`contact` to hand off all conversations with the contact, including new ones, until they are released; `conversation` by default.",
    )
    .optional(),
});
const close = z.strictObject({ close: z.literal(true).describe("Closes the conversation.") });
const ask = z.strictObject({
  ask: z
    .strictObject({
      prompt: name.describe("Name of the template with the instructions for the model."),
      maxLength: z
        .int()
        .min(1)
        .max(MESSAGE_TEXT_MAX_LENGTH)
        .describe("Max length of the text that the model writes.")
        .optional(),
      tags: tags.describe("Tags that the model can add.").optional(),
      handoff: z.boolean().describe("True if the model may hand off to a human.").optional(),
      review,
      history: z
        .int()
        .min(1)
        .max(MAX_HISTORY)
        .describe("Number of earlier messages of the conversation that the model gets; none by default.")
        .optional(),
      texts: z
        .array(name)
        .min(1)
        .max(MAX_ASK_TEXTS)
        .describe("Names of templates whose texts the model gets as information, such as a returns policy.")
        .optional(),
    })
    .describe("Lets the model decide, within these limits."),
});
const source = z.string().min(1).max(TEMPLATE_MAX_LENGTH);
const later = z.strictObject({
  later: z
    .strictObject({
      situation: situationType.describe("Type of the situation."),
      after: period
        .describe(`How long to wait: an ISO 8601 duration, at most P${MAX_TIMER_DAYS}D.`)
        .optional(),
      at: source
        .describe(`A template for the time in RFC 3339, at most ${MAX_TIMER_DAYS} days ahead.`)
        .optional(),
      key: source.describe(
        "A template that names the timer; it replaces the contact's waiting timer with the same name.",
      ),
      data: z
        .record(
          member,
          z.union([
            z.string().max(TEMPLATE_MAX_LENGTH),
            z.number(),
            z.boolean(),
            z.null(),
            z.array(z.string().max(TEMPLATE_MAX_LENGTH)).max(MAX_DATA_ITEMS),
          ]),
        )
        .describe("Data of the situation; its texts are templates.")
        .optional(),
      unless: z
        .array(z.enum(TIMER_CANCELERS))
        .min(1)
        .max(TIMER_CANCELERS.length)
        .describe("Events that cancel the timer.")
        .optional(),
    })
    .refine(({ after, at }) => (after === undefined) !== (at === undefined), "must have either after or at")
    .describe("Submits a situation to the agent later, about the same contact and conversation."),
});
const cancelTimer = z.strictObject({
  cancelTimer: source.describe("A template that names the contact's timer to cancel."),
});

const resend = z.strictObject({
  resend: z.literal(true).describe("Sends the text of the failed message again, once."),
  line: lines
    .describe(
      "Name of the line to resend the message on, or a list to use the first line that can reach the contact; its conversation if omitted.",
    )
    .optional(),
});

/** Every kind of effect, by its unique member. */
export const EFFECTS = { send, addTags, removeTags, move, handoff, close, ask, later, cancelTimer, resend };

const effect = z.union([send, addTags, removeTags, move, handoff, close, ask, later, cancelTimer, resend]);
const effects = z.array(effect).max(MAX_EFFECTS);

const rule = z.strictObject({
  id: name.describe("Unique among the rules."),
  on: z
    .union([z.literal(ANY_SITUATION), situationType])
    .describe("The type of situation that the rule applies to; * for all types, even undeclared ones."),
  when: z
    .array(clause)
    .max(MAX_CLAUSES)
    .describe("Conditions in CEL. The rule matches if all are met, or if there are none.")
    .optional(),
  do: effects
    .describe("Effects of the rule, in order; with an empty list, the agent does nothing.")
    .optional(),
  whileHuman: z
    .boolean()
    .describe(
      "True to apply the rule even while a human answers; it may then only send, change tags, and set or cancel timers.",
    )
    .optional(),
  continue: z.boolean().describe("True to try later rules after this one has matched.").optional(),
  once: z
    .strictObject({
      per: z
        .union([z.enum(["contact", "conversation"]), clause])
        .describe(
          "`contact`, `conversation`, or a CEL expression that gives a text to count by, for each contact.",
        ),
      within: period.describe(`An ISO 8601 duration, at most P${MAX_ONCE_DAYS}D.`),
      group: name.describe("Rules with the same group share one count.").optional(),
    })
    .describe("Prevents the rule, or the rules of its group, from matching again within a period.")
    .optional(),
});

/** The format of configuration documents, version 1. */
export const documentFormat = z
  .strictObject({
    $schema: z.string().max(200).describe("For editors; the gateway ignores it.").optional(),
    format: z.literal(1).describe("Version of this format."),
    defaultContact: z
      .string()
      .min(1)
      .max(255)
      .nullable()
      .describe("The ref of the contact that receives messages from situations without a contact.")
      .optional(),
    burstSeconds: z
      .int()
      .min(0)
      .max(MAX_BURST_SECONDS)
      .describe(
        `Time the agent waits for more messages before it decides (s); ${DEFAULT_BURST_SECONDS} by default.`,
      )
      .optional(),
    releaseAfter: releasePeriod
      .describe(
        `Time after which a handed-off conversation is released, counted from when a human last took over or answered: an ISO 8601 duration from PT1M to P${MAX_RELEASE_DAYS}D; never by default.`,
      )
      .optional(),
    zone: zone.describe("Time zone of dates for contacts without one; UTC by default.").optional(),
    locale: z
      .string()
      .max(LOCALE_MAX_LENGTH)
      .refine((tag) => canonicalLocale(tag) !== undefined, {
        error: "must be the BCP 47 tag of a known language, such as de-CH",
      })
      .describe("Default language of the texts, for numbers, dates and plurals; en by default.")
      .optional(),
    situations: situations.optional(),
    templates: templates.optional(),
    policy: policy.optional(),
    rules: z
      .array(rule)
      .max(MAX_RULES)
      .describe("Rules, tried in order; the first rule whose conditions are all met decides.")
      .optional(),
    strict: z
      .boolean()
      .describe("True to reject situations of undeclared types; by default, they are accepted.")
      .optional(),
    maxAsksPerDay: z
      .int()
      .min(0)
      .max(MAX_ASKS_PER_DAY)
      .describe(
        "Max requests of the agent to the model per day (UTC); after that, `otherwise` applies. Unlimited by default.",
      )
      .optional(),
    otherwise: effects.describe("Effects to apply if no rule decides.").optional(),
    tests: tests.optional(),
  })
  .describe("An agent's configuration.");

/** A configuration document with a valid structure. */
export type ConfigurationDocument = z.infer<typeof documentFormat>;
export type RuleDocument = NonNullable<ConfigurationDocument["rules"]>[number];
export type EffectDocument = z.infer<typeof effect>;
export type LaterDocument = z.infer<typeof later>["later"];

export type TemplateDocument = z.infer<typeof fullTemplate>;

type SituationDocument = z.infer<typeof fullSituation>;

/** The kinds of declarations of situations. */
export const SITUATIONS = { data: situationData, full: fullSituation };

const isFullSituation = (
  situation: z.infer<typeof situationData> | SituationDocument,
): situation is SituationDocument => typeof situation.data === "object";

/** The full form of a declared situation. */
export const fullSituationOf = (
  situation: z.infer<typeof situationData> | SituationDocument,
): SituationDocument => (isFullSituation(situation) ? situation : { data: situation });

/** The declaration of a situation; undefined if the document has none. */
export function declarationOf(
  { situations = {} }: ConfigurationDocument,
  type: string,
): SituationDocument | undefined {
  const declared = Object.hasOwn(situations, type) ? situations[type] : undefined;
  return declared && fullSituationOf(declared);
}

/** The kinds of templates. */
export const TEMPLATES = { text, full: fullTemplate };

/** The full form of a template. */
export const fullTemplateOf = (template: string | TemplateDocument): TemplateDocument =>
  typeof template === "string" ? { text: template } : template;

/** The subjects that `once.per` can name; any other value is an expression. */
export const ONCE_SUBJECTS: ReadonlySet<string> = new Set(["contact", "conversation"]);

/** The templates named by an effect, with the paths of their names. */
export function templatesOf(effect: EffectDocument): [path: readonly PropertyKey[], name: string][] {
  if ("send" in effect) return [[["send"], effect.send]];
  if (!("ask" in effect)) return [];
  const { prompt, texts = [] } = effect.ask;
  return [
    [["ask", "prompt"], prompt],
    ...texts.map((text, i): [PropertyKey[], string] => [["ask", "texts", i], text]),
  ];
}

/** The templates contained in an effect, with their paths. */
export function inlineTemplatesOf(effect: EffectDocument): [path: readonly PropertyKey[], source: string][] {
  if ("cancelTimer" in effect) return [[["cancelTimer"], effect.cancelTimer]];
  if (!("later" in effect)) return [];
  const { key, at, data = {} } = effect.later;
  const texts = Object.entries(data).flatMap(([name, value]): [PropertyKey[], string][] =>
    typeof value === "string"
      ? [[["data", name], value]]
      : Array.isArray(value)
        ? value.map((item, i) => [["data", name, i], item])
        : [],
  );
  return [
    [["key"], key] as [PropertyKey[], string],
    ...(at === undefined ? [] : [[["at"], at] as [PropertyKey[], string]]),
    ...texts,
  ].map(([path, source]) => [["later", ...path], source]);
}

/** True if a string is a valid situation type, declared or not. */
export const isSituationType = (type: string): boolean =>
  type.length <= SITUATION_TYPE_MAX_LENGTH && SITUATION_TYPE.test(type);

/** The format as JSON Schema (2020-12), for editors; some limits cannot be expressed in it. */
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

/** Limits on members (`maxProperties` in JSON Schema), which the format itself cannot declare. */
export const MAX_MEMBERS = {
  situations: MAX_SITUATIONS,
  templates: MAX_TEMPLATES,
  data: MAX_DATA_MEMBERS,
  locales: MAX_LOCALES,
  topics: MAX_TOPICS,
} as const;
