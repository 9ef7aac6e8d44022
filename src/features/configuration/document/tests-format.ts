import { z } from "zod";
import { instantOf } from "../../../common/instant";
import { jsonProblem } from "../../../common/json-problem";
import { isTimeZone } from "../../../common/locales";
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
import { line, locale, nonEmpty, optional, ruleId, situationType, tag, templateName, testId } from "./names";
import { pathOf } from "./problem";

const moment = z
  .string()
  .max(64)
  .refine((text) => instantOf(text) !== undefined, "must be a time such as 2026-01-31T12:00:00Z");

const json = (maxBytes: number) =>
  z.record(z.string(), z.unknown()).superRefine((value, { addIssue }) => {
    const message = jsonProblem(value, maxBytes);
    if (message !== undefined) addIssue({ code: "custom", message });
  });

const text = nonEmpty(MESSAGE_TEXT_MAX_LENGTH);
const subject = z.string().max(SUBJECT_MAX_LENGTH).nullable();
const timerKey = nonEmpty(TIMER_KEY_MAX_LENGTH);

const situation = z
  .strictObject({
    type: situationType,
    data: optional(json(SITUATION_MAX_BYTES), "Situation data. Defaults to an empty object."),
  })
  .describe("The situation to decide.");

const contact = z
  .strictObject({
    ref: nonEmpty(REF_MAX_LENGTH).nullable().optional(),
    name: nonEmpty(CONTACT_NAME_MAX_LENGTH).nullable().optional(),
    locale: locale.nullable().optional(),
    timezone: z
      .string()
      .max(64)
      .refine(isTimeZone, { error: "must be an IANA time zone such as Europe/Zurich" })
      .nullable()
      .optional(),
    attributes: json(ATTRIBUTES_MAX_BYTES).optional(),
    tags: z.array(tag).max(MAX_TAGS).optional(),
    channels: optional(
      z.array(nonEmpty(63)).max(20),
      "Kinds of addresses where the contact accepts messages.",
    ),
    handedOff: optional(z.boolean(), "True if a human answers in all conversations with the contact."),
  })
  .describe("The contact, if the situation is about one.");

const conversation = z
  .strictObject({
    id: nonEmpty(36).optional(),
    line: optional(line, "Name of the conversation's line. Defaults to main."),
    handler: optional(z.enum(["agent", "human"]), "Handler of the conversation. Defaults to agent."),
    state: optional(z.enum(["open", "closed"]), "State of the conversation. Defaults to open."),
  })
  .describe("The conversation, if the situation is about one.");

const message = z
  .strictObject({
    text: z.string().max(10 * MESSAGE_TEXT_MAX_LENGTH),
    subject: subject.optional(),
    sequence: optional(z.int().min(1), "Sequence number of the message in the conversation. Defaults to 1."),
    answers: optional(
      z.int().min(0),
      "Number of automatic answers to the contact within the last hour. Defaults to 0.",
    ),
  })
  .describe("The message of `message.received`.");

const failed = z
  .strictObject({
    text,
    subject: subject.optional(),
    wasResent: optional(z.boolean(), "True if the message was already resent."),
    unapproved: optional(z.boolean(), "True if the message required approval and was not approved in time."),
  })
  .describe("The failed message of `message.failed`, which the effect `resend` sends again.");

/** The model errors that a test can assume. */
export const MODEL_ERRORS = ["model_failed", "model_timeout", "model_invalid"] as const;

const model = z
  .strictObject({
    text: optional(text.nullable(), "Text that the model writes, or null if it writes none."),
    tags: optional(z.array(tag).max(MAX_TAGS), "Tags that the model adds."),
    handoff: optional(z.boolean(), "True if the model hands off to a human."),
    error: optional(z.enum(MODEL_ERRORS), "Reason why the model gives no answer."),
  })
  .refine(
    ({ error, ...answer }) => error === undefined || Object.keys(answer).length === 0,
    "must have either an error or an answer",
  )
  .describe("The model's answer if a rule uses the model. If omitted, the test runs without a model.");

const sent = z
  .strictObject({
    template: optional(templateName.nullable(), "Name of the template, or null if a model wrote the text."),
    text: optional(text, "The whole text."),
    contains: optional(text, "Text that the message must contain."),
    subject: optional(subject, "The subject, or null if there is none."),
    line: optional(line.nullable(), "Name of the line set by the effect, or null if it sets none."),
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
    rule: optional(ruleId.nullable(), "ID of the rule that decides, or null for `otherwise`."),
    outcome: optional(z.enum(TESTED_OUTCOMES), "The outcome of the decision."),
    sends: optional(z.array(sent).max(MAX_MESSAGES_PER_DECISION), "All messages that are sent, in order."),
    tags: optional(z.array(tag).max(MAX_TAGS), "The contact's tags after the decision, in any order."),
    timers: optional(
      z.array(setTimer).max(MAX_TIMERS),
      "The contact's waiting timers after the decision, in any order.",
    ),
  })
  .refine((expected) => Object.keys(expected).length > 0, "must contain an expectation")
  .describe("The agent's expected behavior. Omitted members are not checked.");

const test = z.strictObject({
  id: testId.describe("Unique among the tests."),
  now: moment.describe("The time of the decision, in RFC 3339 format."),
  situation,
  contact: contact.optional(),
  conversation: conversation.optional(),
  message: message.optional(),
  failed: failed.optional(),
  timers: optional(
    z.array(timerKey).max(MAX_TIMERS),
    "Keys of the contact's waiting timers. None by default.",
  ),
  spent: optional(
    z.array(ruleId).max(MAX_RULES),
    "IDs of rules with `once` that matched too recently to match again. None by default.",
  ),
  model: model.optional(),
  agent: optional(
    z.strictObject({
      slug: nonEmpty(63).optional(),
      name: nonEmpty(200).optional(),
    }),
    "The agent as it appears in texts.",
  ),
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
