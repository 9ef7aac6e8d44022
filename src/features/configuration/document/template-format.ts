import { z } from "zod";
import { LOCALE_MAX_LENGTH } from "../../../common/locales";
import { TEMPLATE_MAX_LENGTH } from "../configuration.limits";
import { matching, nonEmpty, optional, templateName, topicName } from "./names";

/** The source of a Liquid template. */
export const source = nonEmpty(TEMPLATE_MAX_LENGTH);

const text = source.describe("The text, as a Liquid template.");
const subject = optional(
  source,
  "Subject of an e-mail that starts a conversation, as a Liquid template. Defaults to the line's subject.",
);

const html = optional(
  source,
  "HTML version of the text for e-mails: a Liquid template whose values are escaped. Other lines send the text.",
);

const language = matching(
  /^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*$/,
  LOCALE_MAX_LENGTH,
  "a BCP 47 tag such as de-CH",
);

export const urgent = optional(
  z.boolean(),
  "True to bypass windows and caps, and to send the message before others held back by the line's rate limit.",
);

export const topic = optional(
  topicName,
  "Topic of the message, from the policy. The message is sent only if the contact consents to the topic.",
);

/** A template that has other members besides its text, such as a subject or translations. */
const fullTemplate = z.strictObject({
  text,
  subject,
  html,
  topic,
  urgent,
  locales: optional(
    z.record(language, z.strictObject({ text, subject, html })),
    "The text in other languages, by BCP 47 tag. The best match for the contact is used.",
  ),
});

export const templates = z
  .record(templateName, z.union([text, fullTemplate]))
  .describe("The texts that the agent sends, as Liquid templates.");

export type TemplateDocument = z.infer<typeof fullTemplate>;

/** The formats that a template can have: only a text, or an object with the text and other members. */
export const TEMPLATES = { text, full: fullTemplate };

/** Returns a template as an object, even if the document contains only its text. */
export const fullTemplateOf = (template: string | TemplateDocument): TemplateDocument =>
  typeof template === "string" ? { text: template } : template;
