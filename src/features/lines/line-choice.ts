import { Field, ID, ObjectType } from "type-graphql";
import { AddressKind } from "../contacts/contact-address.entity";
import { addressKindOf } from "./address-kind";
import { type Line, LineKind, LineState } from "./line.entity";

@ObjectType({ description: "A line to choose, without its settings." })
export class LineChoice {
  @Field(() => ID, { description: "Unique identifier (UUID)." })
  id!: string;

  @Field(() => String, { description: "Short name, unique among the agent's lines." })
  name!: string;

  @Field(() => LineKind, { description: "Delivery method of the line." })
  kind!: LineKind;

  @Field(() => AddressKind, { description: "The kind of address that the line sends to." })
  addressKind!: AddressKind;

  @Field(() => LineState, { description: "Current state of the line." })
  state!: LineState;
}

/** Returns a line without its settings. */
export const choiceOf = (line: Line): LineChoice => ({
  id: line.id,
  name: line.name,
  kind: line.kind,
  addressKind: addressKindOf(line),
  state: line.state,
});
