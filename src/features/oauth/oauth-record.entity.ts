import { Column, Entity, Index, PrimaryColumn } from "typeorm";
import type { Timestamp } from "../../common/time";
import { sha256 } from "../../credentials/sha256";
import { isWellFormedAccessToken, isWellFormedRefreshToken } from "../../credentials/token-format";
import { TIMESTAMP_COLUMN, UUID_COLUMN } from "../../database/columns";

/** A record that the authorization server stores, such as a token or a request awaiting consent. */
@Entity({ name: "oauth_record" })
export class OAuthRecord {
  /** The record's hash (`recordHash`); its ID, which may be a token, is not stored. */
  @PrimaryColumn({ type: "varchar", length: 64 })
  hash!: string;

  @Column({ type: "varchar", length: 24 })
  kind!: string;

  /** The record as JSON. */
  @Column({ type: "text" })
  payload!: string;

  @Index()
  @Column(TIMESTAMP_COLUMN)
  expiresAt!: Timestamp;

  /** ID of the connected application's key. */
  @Index()
  @Column({ ...UUID_COLUMN, nullable: true })
  keyId!: string | null;

  /** An access token's scopes, separated by commas. */
  @Column({ type: "text", nullable: true })
  scopes!: string | null;

  /** The time when a code or refresh token was first used. */
  @Column({ ...TIMESTAMP_COLUMN, nullable: true })
  consumedAt!: Timestamp | null;
}

/** Returns the hash of a record's kind and ID, so that a token of one kind is never mistaken for another. */
export const recordHash = (kind: string, id: string): string => sha256(`${kind} ${id}`);

/** Returns the record hash of an access or refresh token; undefined for any other string. */
export function tokenHash(token: string): string | undefined {
  if (isWellFormedAccessToken(token)) return recordHash("AccessToken", token);
  return isWellFormedRefreshToken(token) ? recordHash("RefreshToken", token) : undefined;
}
