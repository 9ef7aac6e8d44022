import { Field, ObjectType, registerEnumType } from "type-graphql";

export enum DeciderKind {
  rules = "rules",
  model = "model",
}

registerEnumType(DeciderKind, {
  name: "DeciderKind",
  description: "Kind of decider.",
  valuesConfig: {
    rules: { description: "The rules of its configuration alone." },
    model: { description: "The rules, and a language model where they ask it." },
  },
});

@ObjectType({
  simpleResolvers: true,
  description: "The decider of an agent: its rules, or a model where they ask one.",
})
export class ConfigurationDecider {
  @Field(() => DeciderKind, { description: "True if a language model takes part." })
  readonly kind!: DeciderKind;

  @Field(() => String, { nullable: true, description: "Name of the model; null if none is configured." })
  readonly model!: string | null;
}

/**
 * The decider of a gateway.
 * @param model name of its language model, if it has one
 */
export const deciderWith = (model: string | undefined): ConfigurationDecider =>
  model === undefined ? { kind: DeciderKind.rules, model: null } : { kind: DeciderKind.model, model };
