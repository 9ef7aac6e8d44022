import type { InstanceKey } from "../../credentials/instance-key";
import type { Tx } from "../../database/unit-of-work";
import type { InstanceKeyService } from "../../instance-key/instance-key.service";
import type { ContactAddress } from "./contact-address.entity";

/** An address's subscription to an agent's messages about a topic. */
export interface Subscription extends Pick<ContactAddress, "agentId" | "kind" | "address"> {
  topic: string;
}

/** Path of the unsubscribe page, without the token. */
export const UNSUBSCRIBE_PATH = "/unsubscribe/";

/** Creates unsubscribe links. Their tokens contain all necessary data, so nothing has to be stored. */
export class UnsubscribeLinks {
  private isDependent = false;

  /** @param publicUrl the service's public URL; without it, no links are created */
  constructor(
    private readonly instanceKey: InstanceKeyService,
    private readonly publicUrl: string | undefined,
  ) {}

  /**
   * Ties the database to the instance key, so that links remain valid for the database's lifetime.
   * @returns a function that creates links; undefined if the service's address or the key is missing
   */
  async creating(tx: Tx): Promise<((subscription: Subscription) => string) | undefined> {
    const { publicUrl } = this;
    if (publicUrl === undefined || (await this.instanceKey.available()) === undefined) return undefined;
    const key = await this.keyFor(tx);
    return ({ agentId, kind, topic, address }) =>
      `${publicUrl}${UNSUBSCRIBE_PATH}${key.sealToken([agentId, kind, topic, address].join("\n"))}`;
  }

  /**
   * Reads a link's token.
   * @returns undefined for a token that was altered or created with another key
   * @throws InstanceKeyError if the key is missing
   */
  async read(token: string): Promise<Subscription | undefined> {
    const [agentId, kind, topic, address] =
      (await this.instanceKey.current()).openToken(token)?.split("\n") ?? [];
    return address === undefined ? undefined : ({ agentId, kind, topic, address } as Subscription);
  }

  private async keyFor(tx: Tx): Promise<InstanceKey> {
    if (this.isDependent) return this.instanceKey.current();
    const key = await this.instanceKey.required(tx);
    tx.afterCommit(() => {
      this.isDependent = true;
    });
    return key;
  }
}
