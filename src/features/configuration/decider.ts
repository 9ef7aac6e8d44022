import { Field, ObjectType } from "type-graphql";
import { enumOf } from "../../common/declared-enum";
import { Nullable } from "../../common/nullable";

export const DeciderKind = enumOf("DeciderKind", "Kind of decider.", {
  rules: "Only the rules of the configuration.",
  model: "The rules, which may also consult a language model.",
});
export type DeciderKind = keyof typeof DeciderKind;

@ObjectType({ description: "An agent's decider: its rules, which may also consult a language model." })
export class ConfigurationDecider {
  @Field(() => DeciderKind, { description: "Kind of decider." })
  readonly kind!: DeciderKind;

  @Nullable(() => String, "Name of the model, or null if none is configured.")
  readonly model!: string | null;
}

/** Returns the gateway's decider; `model` is the name of the language model, if one is configured. */
export const deciderWith = (model: string | undefined): ConfigurationDecider =>
  model === undefined ? { kind: DeciderKind.rules, model: null } : { kind: DeciderKind.model, model };
