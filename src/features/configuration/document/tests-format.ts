import { z } from "zod";
import { instantOf } from "../../../common/instant";
import { jsonProblem } from "../../../common/json-problem";
import { canonicalLocale, isTimeZone, LOCALE_MAX_LENGTH } from "../../../common/locales";
import {
  ATTRIBUTES_MAX_BYTES,
  CONTACT_NAME_MAX_LENGTH,
  MAX_TAGS,
  REF_MAX_LENGTH,
} from "../../contacts/contact.limits";
import { SUBJECT_MAX_LENGTH } from "../../lines/line.limits";
import { MESSAGE_TEXT_MAX_LENGTH } from "../../messages/message.limits";
import {
  MAX_MESSAGES_PER_DECISION,
  MAX_RULES,
  MAX_TESTS,
  MAX_TIMERS,
  SITUATION_MAX_BYTES,
  TIMER_KEY_MAX_LENGTH,
} from "../configuration.limits";
import { line, name, situationType, tag } from "./names";
import { pathOf } from "./problem";

const moment = z
  .string()
  .max(64)
  .refine((text) => instantOf(text) !== undefined, {
    error: "must be a time such as 2026-01-31T12:00:00Z",
  });

const json = (maxBytes: number) =>
  z.record(z.string(), z.unknown()).superRefine((value, { addIssue }) => {
    const message = jsonProblem(value, maxBytes);
    if (message !== undefined) addIssue({ code: "custom", message });
  });

const text = z.string().min(1).max(MESSAGE_TEXT_MAX_LENGTH);
const subject = z.string().max(SUBJECT_MAX_LENGTH).nullable();
const timerKey = z.string().min(1).max(TIMER_KEY_MAX_LENGTH);

const situation = z
  .strictObject({
    type: situationType,
    data: json(SITUATION_MAX_BYTES).describe("Situation data. Defaults to an empty object.").optional(),
  })
  .describe("The situation to decide.");

const contact = z
  .strictObject({
    ref: z.string().min(1).max(REF_MAX_LENGTH).nullable().optional(),
    name: z.string().min(1).max(CONTACT_NAME_MAX_LENGTH).nullable().optional(),
    locale: z
      .string()
      .max(LOCALE_MAX_LENGTH)
      .refine((value) => canonicalLocale(value) !== undefined, {
        error: "must be the BCP 47 tag of a known language, such as de-CH",
      })
      .nullable()
      .optional(),
    timezone: z
      .string()
      .max(64)
      .refine(isTimeZone, { error: "must be an IANA time zone such as Europe/Zurich" })
      .nullable()
      .optional(),
    attributes: json(ATTRIBUTES_MAX_BYTES).optional(),
    tags: z.array(tag).max(MAX_TAGS).optional(),
    channels: z
      .array(z.string().min(1).max(63))
      .max(20)
      .describe("Kinds of addresses where the contact accepts messages.")
      .optional(),
    handedOff: z
      .boolean()
      .describe("True if a human answers in all conversations with the contact.")
      .optional(),
  })
  .describe("The contact, if the situation is about one.");

const conversation = z
  .strictObject({
    id: z.string().min(1).max(36).optional(),
    line: line.describe("Name of the conversation's line. Defaults to main.").optional(),
    handler: z
      .enum(["agent", "human"])
      .describe("Handler of the conversation. Defaults to agent.")
      .optional(),
    state: z.enum(["open", "closed"]).describe("State of the conversation. Defaults to open.").optional(),
  })
  .describe("The conversation, if the situation is about one.");

const message = z
  .strictObject({
    text: z.string().max(10 * MESSAGE_TEXT_MAX_LENGTH),
    subject: subject.optional(),
    sequence: z
      .int()
      .min(1)
      .describe("Sequence number of the message in the conversation. Defaults to 1.")
      .optional(),
    answers: z
      .int()
      .min(0)
      .describe("Number of automatic answers to the contact within the last hour. Defaults to 0.")
      .optional(),
  })
  .describe("The message of `message.received`.");

const failed = z
  .strictObject({
    text,
    subject: subject.optional(),
    wasResent: z.boolean().describe("True if the message was already resent.").optional(),
    unapproved: z
      .boolean()
      .describe("True if the message required approval and was not approved in time.")
      .optional(),
  })
  .describe("The failed message of `message.failed`, which the effect `resend` sends again.");

/** The model errors that a test can assume. */
export const MODEL_ERRORS = ["model_failed", "model_timeout", "model_invalid"] as const;

const model = z
  .strictObject({
    text: text.nullable().describe("Text that the model writes, or null if it writes none.").optional(),
    tags: z.array(tag).max(MAX_TAGS).describe("Tags that the model adds.").optional(),
    handoff: z.boolean().describe("True if the model hands off to a human.").optional(),
    error: z.enum(MODEL_ERRORS).describe("Reason why the model gives no answer.").optional(),
  })
  .refine(
    ({ error, ...answer }) => error === undefined || Object.keys(answer).length === 0,
    "must have either an error or an answer",
  )
  .describe("The model's answer if a rule uses the model. If omitted, the test runs without a model.");

const sent = z
  .strictObject({
    template: name.nullable().describe("Name of the template, or null if a model wrote the text.").optional(),
    text: text.describe("The whole text.").optional(),
    contains: text.describe("Text that the message must contain.").optional(),
    subject: subject.describe("The subject, or null if there is none.").optional(),
    line: line.nullable().describe("Name of the line set by the effect, or null if it sets none.").optional(),
  })
  .refine(
    ({ text, contains }) => text === undefined || contains === undefined,
    "must have either text or contains",
  );

const setTimer = z.strictObject({
  key: timerKey,
  situation: situationType.optional(),
  dueAt: moment.optional(),
});

/** The decision outcomes that depend only on the document. */
const TESTED_OUTCOMES = ["send", "silent", "handoff", "failed"] as const;

const expectation = z
  .strictObject({
    rule: name.nullable().describe("ID of the rule that decides, or null for `otherwise`.").optional(),
    outcome: z.enum(TESTED_OUTCOMES).describe("The outcome of the decision.").optional(),
    sends: z
      .array(sent)
      .max(MAX_MESSAGES_PER_DECISION)
      .describe("All messages that are sent, in order.")
      .optional(),
    tags: z
      .array(tag)
      .max(MAX_TAGS)
      .describe("The contact's tags after the decision, in any order.")
      .optional(),
    timers: z
      .array(setTimer)
      .max(MAX_TIMERS)
      .describe("The contact's waiting timers after the decision, in any order.")
      .optional(),
  })
  .refine((expected) => Object.keys(expected).length > 0, "must contain an expectation")
  .describe("The agent's expected behavior. Omitted members are not checked.");

const test = z.strictObject({
  id: name.describe("Unique among the tests."),
  now: moment.describe("The time of the decision, in RFC 3339 format."),
  situation,
  contact: contact.optional(),
  conversation: conversation.optional(),
  message: message.optional(),
  failed: failed.optional(),
  timers: z
    .array(timerKey)
    .max(MAX_TIMERS)
    .describe("Keys of the contact's waiting timers. None by default.")
    .optional(),
  spent: z
    .array(name)
    .max(MAX_RULES)
    .describe("IDs of rules with `once` that matched too recently to match again. None by default.")
    .optional(),
  model: model.optional(),
  agent: z
    .strictObject({ slug: z.string().min(1).max(63).optional(), name: z.string().min(1).max(200).optional() })
    .describe("The agent as it appears in texts.")
    .optional(),
  expect: expectation,
});

/** Situations, each with the agent's expected behavior. */
export const tests = z
  .array(test)
  .max(MAX_TESTS)
  .describe(
    "Situations with the decisions that the agent must make. `gateway configuration test` runs the tests.",
  );

export type TestDocument = z.infer<typeof test>;

/** A test without its expectations. */
export type TestedSituation = Omit<TestDocument, "id" | "expect">;

/** Returns the first problem with a test; undefined if the test is valid. */
export function testProblem(value: unknown): string | undefined {
  const [issue] = test.safeParse(value, { jitless: true }).error?.issues ?? [];
  return issue && `${pathOf(issue.path)} ${issue.message}`;
}
