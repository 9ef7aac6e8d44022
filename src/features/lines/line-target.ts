import type { EntityManager } from "typeorm";
import type { InstanceKey } from "../../credentials/instance-key";
import { InstanceKeyError, type InstanceKeyService } from "../../instance-key/instance-key.service";
import { signingSecretsOf } from "../../instance-key/signing-secrets";
import { Line } from "./line.entity";
import type { LineEmail } from "./line-settings";

/** A line's target, including secrets; never log it or return it to clients. */
export type LineTarget =
  | { kind: "local" }
  | {
      kind: "webhook";
      url: string;
      /** Currently valid signing secrets, newest first. */
      secrets: string[];
    }
  | ({ kind: "email"; password: string | null } & Omit<LineEmail, "hasPassword">);

/** Returns a line with its sealed credentials; other queries omit the credentials. */
export const lineWithCredentials = (reader: EntityManager, id: string): Promise<Line | null> =>
  reader.createQueryBuilder(Line, "line").addSelect("line.credentials").where({ id }).getOne();

/**
 * Returns a line's current target.
 * @param line a line read by `lineWithCredentials`
 * @throws InstanceKeyError if the instance key is missing or did not seal the credentials
 */
export async function lineTarget(line: Line, instanceKey: InstanceKeyService): Promise<LineTarget> {
  const { webhook, email } = line;
  if (webhook !== null) {
    return {
      kind: "webhook",
      url: webhook.url,
      secrets: signingSecretsOf(line, await instanceKey.current()),
    };
  }
  if (email === null) return { kind: "local" };
  const { hasPassword, ...settings } = email;
  const password = hasPassword ? passwordOf(line, await instanceKey.current()) : null;
  return { kind: "email", ...settings, password };
}

function passwordOf({ id, credentials }: Line, key: InstanceKey): string {
  const password = credentials === null ? undefined : key.open(credentials, id);
  if (password === undefined) {
    throw new InstanceKeyError("The line's credentials were encrypted with a different INSTANCE_KEY.");
  }
  return password;
}
