import { Field, GraphQLISODateTime, ObjectType } from "type-graphql";
import { Nullable } from "../../../common/nullable";
import type { Timestamp } from "../../../common/time";
import { AtMost, MaxCharacters, type Size } from "../../../schema/list-size";
import { ThirdPartyText } from "../../../schema/third-party-text";
import {
  ASK_TEXTS_MAX_LENGTH,
  HISTORY_MAX_BYTES,
  MAX_ASK_TEXTS,
  MAX_HISTORY,
  NAME_MAX_LENGTH,
  PROMPT_MAX_LENGTH,
} from "../../configuration/configuration.limits";
import { DeciderKind } from "../../configuration/decider";
import type { AskText } from "../../configuration/document/effect";
import type { EarlierMessage } from "../../configuration/document/read-situation";
import { MessageAuthor } from "../../messages/message.enums";
import { MESSAGE_TEXT_MAX_LENGTH } from "../../messages/message.limits";
import type { Decision } from "../decision.entity";
import { ANSWER_MAX_LENGTH, askIn } from "./asking";

/** Max size of the names and JSON syntax around the texts. */
const FRAME_LENGTH = 10_000;

/** Max size of an exchange; earlier messages and texts from the configuration each have a total limit. */
export const MODEL_EXCHANGE_MAX: Size = {
  values: 5 * MAX_HISTORY + 3 * MAX_ASK_TEXTS + 10,
  characters: PROMPT_MAX_LENGTH + ASK_TEXTS_MAX_LENGTH + HISTORY_MAX_BYTES + ANSWER_MAX_LENGTH + FRAME_LENGTH,
};

@ObjectType({ description: "A configuration text passed to a model." })
export class ModelText implements AskText {
  @Field(() => String, { description: "Name of the template." })
  @MaxCharacters(NAME_MAX_LENGTH)
  name!: string;

  @ThirdPartyText()
  @Field(() => String, { description: "The text." })
  @MaxCharacters(ASK_TEXTS_MAX_LENGTH)
  text!: string;
}

@ObjectType({ description: "An earlier message passed to a model." })
export class ModelHistoryMessage {
  @Field(() => MessageAuthor, { description: "Author of the message." })
  author!: MessageAuthor;

  @ThirdPartyText()
  @Field(() => String, { description: "Text of the message." })
  @MaxCharacters(MESSAGE_TEXT_MAX_LENGTH)
  text!: string;

  @Field(() => GraphQLISODateTime, { description: "When the message was accepted." })
  createdAt!: Timestamp;

  @Nullable(() => Boolean, "True if the text was shortened.")
  isCut?: true | undefined;
}

@ObjectType({
  description:
    "A model's answer, and the input that a rule passed to the model in addition to the situation, contact, conversation and agent.",
})
export class ModelExchange {
  @ThirdPartyText()
  @Field(() => String, {
    description: "The instructions: the text of the rule's prompt, with inserted values marked as data.",
  })
  @MaxCharacters(PROMPT_MAX_LENGTH)
  instructions!: string;

  @Field(() => [ModelText], { description: "The configuration texts that the rule passes to the model." })
  @AtMost(MAX_ASK_TEXTS)
  texts!: readonly ModelText[];

  @Field(() => [ModelHistoryMessage], {
    description: "The earlier messages in the conversation that the rule includes, oldest first.",
  })
  @AtMost(MAX_HISTORY)
  history!: ModelHistoryMessage[];

  @ThirdPartyText()
  @Nullable(
    () => String,
    "The model's unmodified answer, valid or not. Null if there is no answer, or if an earlier gateway version made the decision.",
  )
  @MaxCharacters(ANSWER_MAX_LENGTH)
  answer!: string | null;
}

/** Returns a model's input and answer; null without a model or if the contact is erased. */
export function exchangeOf({ effects, snapshot, decider }: Decision): ModelExchange | null {
  const ask = decider === DeciderKind.model ? askIn(effects) : undefined;
  if (ask === undefined || snapshot === null) return null;
  const { history = [], answer = null } = snapshot.model ?? {};
  return { instructions: ask.prompt ?? "", texts: ask.texts ?? [], history: history.map(messageOf), answer };
}

const messageOf = ({ author, text, at, isCut }: EarlierMessage): ModelHistoryMessage => ({
  author: author as MessageAuthor,
  text,
  createdAt: at as Timestamp,
  isCut,
});
