import { Field, ObjectType } from "type-graphql";
import { enumOf } from "../../common/declared-enum";
import { Nullable } from "../../common/nullable";

export const DeciderKind = enumOf("DeciderKind", "Kind of decider.", {
  rules: "Only the rules of the configuration.",
  model: "The rules, and a language model if a rule asks it.",
});
export type DeciderKind = keyof typeof DeciderKind;

@ObjectType({
  simpleResolvers: true,
  description: "An agent's decider: its rules, and a language model if a rule asks it.",
})
export class ConfigurationDecider {
  @Field(() => DeciderKind, { description: "True if a language model is involved." })
  readonly kind!: DeciderKind;

  @Nullable(() => String, "Name of the model; null if none is configured.")
  readonly model!: string | null;
}

/**
 * The decider of a gateway.
 * @param model name of its language model, if it has one
 */
export const deciderWith = (model: string | undefined): ConfigurationDecider =>
  model === undefined ? { kind: DeciderKind.rules, model: null } : { kind: DeciderKind.model, model };
