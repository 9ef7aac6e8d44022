import { z } from "zod";
import { MESSAGE_TEXT_MAX_LENGTH } from "../../messages/message.limits";
import {
  HANDOFF_REASON_MAX_LENGTH,
  MAX_ASK_TEXTS,
  MAX_DATA_ITEMS,
  MAX_DELAY_SECONDS,
  MAX_EFFECTS,
  MAX_HISTORY,
  MAX_LINES_OF_MESSAGE,
  MAX_TIMER_DAYS,
  TEMPLATE_MAX_LENGTH,
} from "../configuration.limits";
import { line, member, nonEmpty, optional, situationType, tag, templateName } from "./names";
import { periodUpTo } from "./period";
import { source, topic, urgent } from "./template-format";

const tags = z.array(tag).min(1).max(50);

/** The events that can cancel a timer. */
export const TIMER_CANCELERS = ["message.received", "handoff", "closed"] as const;

export type TimerCanceler = (typeof TIMER_CANCELERS)[number];

const review = optional(z.literal(true), "Requires a person to approve the message before it is sent.");

const lines = z.union([line, z.array(line).min(1).max(MAX_LINES_OF_MESSAGE)]);

const send = z.strictObject({
  send: templateName.describe("Name of the template."),
  line: optional(
    lines,
    "Name of the line to open a conversation on if the situation names no conversation. Defaults to the default line. From a list of names, the first line that can reach the contact is used.",
  ),
  reuse: optional(
    z.literal("latest"),
    "If `line` is omitted, sends in the contact's latest open conversation, on any line that can reach the contact, or else on the default line.",
  ),
  delaySeconds: optional(
    z.int().min(0).max(MAX_DELAY_SECONDS),
    "Time to wait before queuing the message, at most 90 days. Other messages do not wait for this one.",
  ),
  topic,
  urgent,
  review,
});
const addTags = z.strictObject({ addTags: tags.describe("Tags to add to the contact.") });
const removeTags = z.strictObject({ removeTags: tags.describe("Tags to remove from the contact.") });
const move = z.strictObject({
  move: line.describe("Name of the line to move the conversation to."),
  pending: optional(
    z.enum(["cancel", "carry"]),
    "`cancel` to cancel queued messages, or `carry` to send them on the new line. Defaults to `cancel`.",
  ),
});
const handoff = z.strictObject({
  handoff: nonEmpty(HANDOFF_REASON_MAX_LENGTH).describe(
    "Reason for handing off the conversation to a human.",
  ),
  scope: optional(
    z.enum(["conversation", "contact"]),
    "`contact` to hand off all conversations with the contact, including new ones, until they are released. Defaults to `conversation`.",
  ),
});
const close = z.strictObject({ close: z.literal(true).describe("Closes the conversation.") });
const ask = z.strictObject({
  ask: z
    .strictObject({
      prompt: templateName.describe("Name of the template with the instructions for the model."),
      maxLength: optional(
        z.int().min(1).max(MESSAGE_TEXT_MAX_LENGTH),
        "Max length of the text that the model writes.",
      ),
      tags: optional(tags, "Tags that the model can add."),
      handoff: optional(z.boolean(), "True if the model may hand off to a human."),
      review,
      history: optional(
        z.int().min(1).max(MAX_HISTORY),
        "Number of earlier messages in the conversation to pass to the model. None by default.",
      ),
      texts: optional(
        z.array(templateName).min(1).max(MAX_ASK_TEXTS),
        "Names of templates whose texts are passed to the model as information, such as a returns policy.",
      ),
    })
    .describe("Lets the model decide, within these limits."),
});
const later = z.strictObject({
  later: z
    .strictObject({
      situation: situationType.describe("Type of the situation."),
      after: optional(
        periodUpTo(MAX_TIMER_DAYS, "PT15M or P1D"),
        `Time to wait: an ISO 8601 duration, at most P${MAX_TIMER_DAYS}D.`,
      ),
      at: optional(
        source,
        `A template for the time at which the timer fires (RFC 3339), at most ${MAX_TIMER_DAYS} days from now.`,
      ),
      key: source.describe(
        "Key of the timer, as a template. The timer replaces the contact's waiting timer with the same key.",
      ),
      data: optional(
        z.record(
          member,
          z.union([
            z.string().max(TEMPLATE_MAX_LENGTH),
            z.number(),
            z.boolean(),
            z.null(),
            z.array(z.string().max(TEMPLATE_MAX_LENGTH)).max(MAX_DATA_ITEMS),
          ]),
        ),
        "Situation data. Its strings are templates.",
      ),
      unless: optional(
        z.array(z.enum(TIMER_CANCELERS)).min(1).max(TIMER_CANCELERS.length),
        "Events that cancel the timer.",
      ),
    })
    .refine(({ after, at }) => (after === undefined) !== (at === undefined), "must have either after or at")
    .describe("Submits a situation about the same contact and conversation to the agent at a later time."),
});
const cancelTimer = z.strictObject({
  cancelTimer: source.describe("Key of the contact's timer to cancel, as a template."),
});

const resend = z.strictObject({
  resend: z.literal(true).describe("Resends the text of the failed message, at most once."),
  line: optional(
    lines,
    "Name of the line to resend the message on. Defaults to the message's conversation. From a list of names, the first line that can reach the contact is used.",
  ),
});

/** The format of each kind of effect, by the name of the member that identifies the kind. */
export const EFFECTS = { send, addTags, removeTags, move, handoff, close, ask, later, cancelTimer, resend };

const effect = z.union([send, addTags, removeTags, move, handoff, close, ask, later, cancelTimer, resend]);
export const effects = z.array(effect).max(MAX_EFFECTS);

export type EffectDocument = z.infer<typeof effect>;
export type LaterDocument = z.infer<typeof later>["later"];

/** Returns the templates that an effect names, with the paths of their names. */
export function templatesOf(effect: EffectDocument): [path: readonly PropertyKey[], name: string][] {
  if ("send" in effect) return [[["send"], effect.send]];
  if (!("ask" in effect)) return [];
  const { prompt, texts = [] } = effect.ask;
  return [
    [["ask", "prompt"], prompt],
    ...texts.map((text, i): [PropertyKey[], string] => [["ask", "texts", i], text]),
  ];
}

/** Returns the templates that an effect contains, with their paths. */
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
