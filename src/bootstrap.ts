import { operatorFor } from "./auth/context";
import { PERMISSIONS } from "./auth/permissions";
import type { Config } from "./config";
import { randomBase62 } from "./credentials/base62";
import { hashPassword } from "./credentials/password";
import { KEY_ENVIRONMENT } from "./credentials/token-format";
import type { Database } from "./database/database";
import { addAgent } from "./features/agents/agent.service";
import { mintKey } from "./features/api-keys/key-changes";
import { addMember } from "./features/members/member.service";
import { Organization } from "./features/organizations/organization.entity";
import { addOrganization } from "./features/organizations/organization.service";

/** What the first start made, with the secrets that only its output shows. */
export interface BootstrapResult {
  organization: string;
  agent: string;
  ownerEmail: string;
  /** Undefined when the settings chose it. */
  ownerPassword: string | undefined;
  keyName: string;
  keySecret: string;
}

/**
 * Gives an empty database its first organization, agent, owner and API key: all or none, and once even when
 * several processes start together.
 * @returns what it made, or undefined when there is an organization already
 */
export async function bootstrap(
  database: Database,
  { bootstrap: { ownerEmail, ownerPassword, apiKeyName }, environment }: Config,
): Promise<BootstrapResult | undefined> {
  if (await database.read((reader) => reader.exists(Organization))) return undefined;
  const password = ownerPassword ?? randomBase62(20);
  const passwordHash = await hashPassword(password);
  return database.withMigrationLock(async (tx) => {
    if (await tx.exists(Organization)) return undefined;
    const organization = await addOrganization(tx, { slug: "first", name: "First organization" });
    const context = operatorFor(organization);
    const agent = await addAgent(tx, context, { slug: "first-agent", name: "First agent" });
    const owner = await addMember(tx, context, {
      email: ownerEmail,
      passwordHash,
      permissions: [...PERMISSIONS],
    });
    const { secret } = await mintKey(tx, context, agent, {
      name: apiKeyName,
      expiresAt: null,
      scopes: null,
      environment: KEY_ENVIRONMENT[environment],
    });
    return {
      organization: organization.slug,
      agent: agent.slug,
      ownerEmail: owner.email,
      ownerPassword: ownerPassword === undefined ? password : undefined,
      keyName: apiKeyName,
      keySecret: secret,
    };
  });
}
