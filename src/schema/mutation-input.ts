import { Arg, Field, ID, InputType } from "type-graphql";

/** Declares the only argument of a mutation; the argument's type is named after the mutation. */
export const Input = (): ReturnType<typeof Arg> =>
  Arg("input", { description: "The parameters of the mutation." });

/** Returns a base class for the inputs of mutations that change one object. */
export function InputById(what: string) {
  @InputType()
  abstract class ById {
    @Field(() => ID, { description: `ID of the ${what}.` })
    id!: string;
  }
  return ById;
}
