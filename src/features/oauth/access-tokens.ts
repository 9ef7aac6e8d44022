import type { KeyCaller, Origin } from "../../auth/caller";
import type { CredentialResolver } from "../../auth/context";
import { keyStateOf } from "../../auth/key-ends";
import { environmentOf, isAccessToken, isWellFormedAccessToken } from "../../credentials/token-format";
import type { Database } from "../../database/database";
import { GatewayError } from "../../errors";
import type { RejectedTokens } from "../../rate-limits/rejected-tokens";
import type { AcceptedKeys } from "../api-keys/accepted-keys";
import { createAccessTokenLookup } from "../api-keys/key-lookup";
import { recordHash } from "./oauth-record.entity";

const ENDED = "The access token is unknown or no longer valid. Connect the application again.";

/** Accepts access tokens in addition to keys; an access token resolves to its application's key. */
export class AccessTokens implements CredentialResolver<KeyCaller> {
  private readonly byHash: ReturnType<typeof createAccessTokenLookup>;

  constructor(
    database: Database,
    private readonly keys: AcceptedKeys,
    private readonly rejectedTokens: RejectedTokens,
  ) {
    this.byHash = createAccessTokenLookup(database);
  }

  /**
   * Returns the caller that a key or access token resolves to, always read from the database.
   * @throws GatewayError see `AcceptedKeys.resolve`; `invalid_api_key` for a token that is no longer valid, so that
   *   applications obtain a new one
   */
  async resolve(token: string, origin: Origin, options: { again?: boolean } = {}): Promise<KeyCaller> {
    if (!isAccessToken(token)) return this.keys.resolve(token, origin, options);
    const hash = isWellFormedAccessToken(token) ? recordHash("AccessToken", token) : undefined;
    const found = await this.rejectedTokens.find(hash, origin.ip, this.byHash);
    // Every access token expires after an hour, so the use of an expired one is not recorded as a rejected
    // use of the key.
    if (found === undefined || keyStateOf(found.key) === "expired")
      throw new GatewayError("invalid_api_key", ENDED);
    this.keys.assertEnvironment(environmentOf(found.key.hint));
    try {
      return this.keys.accept(found, origin, options);
    } catch (error) {
      const hasEnded = error instanceof GatewayError && error.code === "key_revoked";
      throw hasEnded ? new GatewayError("invalid_api_key", ENDED) : error;
    }
  }
}
