import { Field, ObjectType } from "type-graphql";

@ObjectType({ simpleResolvers: true, description: "What a new organization does first, and whether it has." })
export class FirstSteps {
  @Field(() => Boolean, { description: "Whether it has ever had an API key." })
  keyMinted!: boolean;

  @Field(() => Boolean, { description: "Whether one of its keys was ever accepted." })
  keyUsed!: boolean;

  @Field(() => Boolean, {
    description: "Whether there is an animal in the store, which all organizations share.",
  })
  petAdded!: boolean;

  @Field(() => Boolean, { description: "Whether a message was ever queued for one of its agents." })
  messageQueued!: boolean;
}
