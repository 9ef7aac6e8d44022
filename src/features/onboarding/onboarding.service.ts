import { Field, ObjectType } from "type-graphql";
import { IsNull, MoreThan, Not } from "typeorm";
import { organizationOf, type RequestContext } from "../../auth/context";
import type { Database } from "../../database/database";
import { ApiKey } from "../api-keys/api-key.entity";
import { ConfigurationVersion } from "../configuration/configuration-version.entity";
import { Decision } from "../decisions/decision.entity";
import { Line, LineKind } from "../lines/line.entity";
import { Message } from "../messages/message.entity";
import { Pet } from "../pets/pet.entity";

@ObjectType("FirstSteps", { description: "An organization's onboarding progress." })
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

  @Field(() => Boolean, { description: "True once one of the organization's agents has made a decision." })
  decisionMade!: boolean;

  @Field(() => Boolean, {
    description:
      "True once one of the organization's agents has a line that sends messages to other systems.",
  })
  lineAdded!: boolean;

  @Field(() => Boolean, {
    description: "True once a configuration other than the initial one has been published.",
  })
  configurationPublished!: boolean;
}

/** Reports organizations' onboarding progress. */
export class OnboardingService {
  constructor(private readonly database: Database) {}

  /** Returns the onboarding progress of the caller's organization. */
  progress(context: RequestContext): Promise<OnboardingProgress> {
    const organizationId = organizationOf(context);
    const agent = { organizationId };
    return this.database.read(async (reader) => ({
      keyMinted: await reader.existsBy(ApiKey, { organizationId }),
      keyUsed: await reader.existsBy(ApiKey, { organizationId, lastUsedAt: Not(IsNull()) }),
      petAdded: await reader.exists(Pet),
      messageQueued: await reader.existsBy(Message, { agent }),
      decisionMade: await reader.existsBy(Decision, { agent }),
      lineAdded: await reader.existsBy(Line, { agent, kind: Not(LineKind.local) }),
      configurationPublished: await reader.existsBy(ConfigurationVersion, { agent, version: MoreThan(1) }),
    }));
  }
}
