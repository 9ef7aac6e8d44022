import type { KeyCaller, Origin } from "../../auth/caller";
import type { CredentialResolver } from "../../auth/context";
import { keyRejection } from "../../auth/key-ends";
import { ENVIRONMENTS, type Environment } from "../../common/environment";
import { timestamp } from "../../common/time";
import type { Config } from "../../config";
import {
  environmentOf,
  hashToken,
  isWellFormedApiKey,
  KEY_ENVIRONMENT,
} from "../../credentials/token-format";
import type { Database } from "../../database/database";
import { GatewayError } from "../../errors";
import type { RejectedTokens } from "../../rate-limits/rejected-tokens";
import { addressRejection } from "./allowed-networks";
import { ApiKey, ApiKeyState } from "./api-key.entity";
import { createKeyLookup, type FoundKey } from "./key-lookup";
import { IN_STATE } from "./key-search";
import type { KeyUsageRecorder } from "./key-usage-recorder";

/** Resolves API keys, and rejects keys that this server does not accept. */
export class AcceptedKeys implements CredentialResolver<KeyCaller> {
  private readonly byHash: ReturnType<typeof createKeyLookup>;
  private readonly accepted: readonly Environment[];

  constructor(
    private readonly database: Database,
    private readonly usage: KeyUsageRecorder,
    private readonly rejectedTokens: RejectedTokens,
    { keyEnvironments }: Pick<Config, "keyEnvironments">,
  ) {
    this.accepted = keyEnvironments;
    this.byHash = createKeyLookup(database);
  }

  /**
   * Returns the agent or organization that a key resolves to, always read from the database.
   * @param options.again true if the same request has already been accepted, so that it is not counted twice
   * @throws GatewayError `invalid_api_key`, `key_revoked`, `key_not_resolvable`, `key_expired`, `address_not_allowed`
   *   or `too_many_attempts`
   */
  async resolve(token: string, origin: Origin, { again = false } = {}): Promise<KeyCaller> {
    const hash = isWellFormedApiKey(token) ? hashToken(token) : undefined;
    // Checks the environment before the lookup, because a development server must not act on a production
    // key, even one in its own database.
    if (hash !== undefined) this.assertEnvironment(environmentOf(token));
    const found = await this.rejectedTokens.find(hash, origin.ip, this.byHash);
    if (found === undefined) throw new GatewayError("invalid_api_key");
    return this.accept(found, origin, { again });
  }

  /**
   * Accepts a key found by its secret or access token, and records its use.
   * @throws GatewayError `key_revoked`, `key_expired`, `key_not_resolvable` or `address_not_allowed`
   */
  accept(found: FoundKey, origin: Origin, { again = false } = {}): KeyCaller {
    const { key, organization } = found;
    const rejection = keyRejection(key, organization.deactivatedAt);
    const rejectionHere = rejection ?? addressRejection(key.allowedNetworks, origin.ip);
    if (rejectionHere !== undefined) {
      this.usage.rejected(key, origin, { isElsewhere: rejection === undefined });
      throw rejectionHere;
    }
    if (!again) this.usage.accepted(key.id, origin);
    return found;
  }

  /** @throws GatewayError `invalid_api_key` for a key from an environment that this server does not accept */
  assertEnvironment(environment: Environment): void {
    if (this.accepted.includes(environment)) return;
    throw new GatewayError(
      "invalid_api_key",
      `The API key is for ${environment}, but this server accepts only keys for ${listOf(this.accepted)}.`,
    );
  }

  /** Returns the number of active keys for each environment that this server does not accept. */
  async countRejectedByEnvironment(): Promise<Partial<Record<Environment, number>>> {
    const rejected = ENVIRONMENTS.filter((each) => !this.accepted.includes(each));
    const counts = await Promise.all(
      rejected.map(async (environment) => {
        const count = await this.database.read((reader) =>
          reader
            .createQueryBuilder(ApiKey, "key")
            .where(IN_STATE[ApiKeyState.active], { now: timestamp() })
            .andWhere("key.hint LIKE :hint", { hint: `ag__${KEY_ENVIRONMENT[environment]}_%` })
            .getCount(),
        );
        return [environment, count] as const;
      }),
    );
    return Object.fromEntries(counts.filter(([, count]) => count > 0));
  }
}

/** Formats a list, such as `development, staging and production`. */
const listOf = (environments: readonly Environment[]): string =>
  new Intl.ListFormat("en-GB").format(environments);
