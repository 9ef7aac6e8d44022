import { Field, ObjectType } from "type-graphql";

@ObjectType({ simpleResolvers: true, description: "Onboarding progress of an organization." })
export class FirstSteps {
  @Field(() => Boolean, { description: "Whether an API key was ever minted for the organization." })
  keyMinted!: boolean;

  @Field(() => Boolean, { description: "Whether one of its API keys was ever accepted." })
  keyUsed!: boolean;

  @Field(() => Boolean, {
    description: "Whether the petstore, which all organizations share, contains a pet.",
  })
  petAdded!: boolean;

  @Field(() => Boolean, { description: "Whether a message was ever queued for one of its agents." })
  messageQueued!: boolean;
}
