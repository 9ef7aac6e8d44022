import { Field, ObjectType } from "type-graphql";
import { IsNull, Not } from "typeorm";
import { organizationOf, type RequestContext } from "../../auth/context";
import type { Database } from "../../database/database";
import { ApiKey } from "../api-keys/api-key.entity";
import { Message } from "../messages/message.entity";
import { Pet } from "../pets/pet.entity";

@ObjectType("FirstSteps", { simpleResolvers: true, description: "Onboarding progress of an organization." })
export class OnboardingProgress {
  @Field(() => Boolean, { description: "True once an API key has been minted for the organization." })
  keyMinted!: boolean;

  @Field(() => Boolean, { description: "True once one of the organization's API keys has been accepted." })
  keyUsed!: boolean;

  @Field(() => Boolean, {
    description: "True if the petstore, shared by all organizations, contains a pet.",
  })
  petAdded!: boolean;

  @Field(() => Boolean, {
    description: "True once a message has been queued for one of the organization's agents.",
  })
  messageQueued!: boolean;
}

/** Reports organizations' onboarding progress. */
export class OnboardingService {
  constructor(private readonly database: Database) {}

  /** The onboarding progress of the caller's organization. */
  progress(context: RequestContext): Promise<OnboardingProgress> {
    const organizationId = organizationOf(context);
    return this.database.read(async (reader) => ({
      keyMinted: await reader.existsBy(ApiKey, { organizationId }),
      keyUsed: await reader.existsBy(ApiKey, { organizationId, lastUsedAt: Not(IsNull()) }),
      petAdded: await reader.exists(Pet),
      messageQueued: await reader.existsBy(Message, { agent: { organizationId } }),
    }));
  }
}
