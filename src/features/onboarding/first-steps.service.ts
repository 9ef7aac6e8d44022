import { IsNull, Not } from "typeorm";
import { organizationOf, type RequestContext } from "../../auth/context";
import type { Database } from "../../database/database";
import { ApiKey } from "../api-keys/api-key.entity";
import { Message } from "../messages/message.entity";
import { Pet } from "../pets/pet.entity";
import type { FirstSteps } from "./first-steps";

/** Reports the onboarding progress of organizations. */
export class FirstStepsService {
  constructor(private readonly database: Database) {}

  /** Onboarding progress of the caller's organization. */
  of(context: RequestContext): Promise<FirstSteps> {
    const organizationId = organizationOf(context);
    return this.database.read(async (reader) => ({
      keyMinted: await reader.existsBy(ApiKey, { organizationId }),
      keyUsed: await reader.existsBy(ApiKey, { organizationId, lastUsedAt: Not(IsNull()) }),
      petAdded: await reader.exists(Pet),
      messageQueued: await reader.existsBy(Message, { agent: { organizationId } }),
    }));
  }
}
