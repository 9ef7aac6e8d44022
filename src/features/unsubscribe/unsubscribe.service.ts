import type { Database } from "../../database/database";
import type { Tx } from "../../database/unit-of-work";
import { GatewayError } from "../../errors";
import { InstanceKeyError } from "../../instance-key/instance-key.service";
import { Agent } from "../agents/agent.entity";
import type { CompiledConfigurations } from "../configuration/compiled-configurations";
import { ConsentSource, ConsentState } from "../contacts/consent.entity";
import type { Consents } from "../contacts/consents";
import { lockAdditions, lockContactsAt } from "../contacts/known-contact";
import type { Subscription, UnsubscribeLinks } from "../contacts/unsubscribe-links";

/** The subscription that a link ends. */
export interface Subscribed extends Subscription {
  /** Title of the topic, or its name if the agent no longer declares it. */
  title: string;
  isOut: boolean;
}

/** Lets an address's owner unsubscribe with a link, even after the contact has been erased. */
export class UnsubscribeService {
  constructor(
    private readonly database: Database,
    private readonly links: UnsubscribeLinks,
    private readonly consents: Consents,
    private readonly compiledConfigurations: CompiledConfigurations,
  ) {}

  /**
   * Returns the subscription that a link's token ends.
   * @throws GatewayError `not_found` for a token that is not valid, `unavailable` if the instance key is missing
   */
  async find(token: string): Promise<Subscribed> {
    try {
      const subscription = await this.links.read(token);
      if (subscription === undefined) throw new GatewayError("not_found", "The link is not valid.");
      const { agentId, topic } = subscription;
      return await this.database.read(async (reader) => {
        const hasAgent = await reader.existsBy(Agent, { id: agentId });
        const live = hasAgent ? await this.compiledConfigurations.live(reader, agentId) : undefined;
        const title = live?.configuration.policy?.titleOf(topic) ?? topic;
        const isOut = (await this.consents.stateOf(reader, subscription)) === ConsentState.out;
        return { ...subscription, title, isOut };
      });
    } catch (error) {
      // The caller is not at fault, and a later attempt may succeed.
      if (error instanceof InstanceKeyError)
        throw new GatewayError("unavailable", undefined, { cause: error });
      throw error;
    }
  }

  /** Opts an address out of a topic, and cancels unsent messages to it about the topic. */
  async unsubscribe({ agentId, kind, address, topic }: Subscription): Promise<void> {
    const agent = await this.database.read((reader) => reader.findOneBy(Agent, { id: agentId }));
    // A deleted agent no longer sends messages to the address.
    if (agent === null) return;
    await this.database.writeFor(agent.organizationId, (tx) =>
      this.store(tx, { agentId, kind, address, topic }),
    );
  }

  private async store(tx: Tx, { topic, ...to }: Subscription): Promise<void> {
    const find = () => lockContactsAt(tx, [{ agentId: to.agentId, address: to }]);
    let [known] = await find();
    if (known == null) {
      // Another transaction may be adding the address to a contact.
      await lockAdditions(tx, [to.agentId], "exclusive");
      [known] = await find();
    }
    const stored = known?.addresses.find(({ kind, address }) => kind === to.kind && address === to.address);
    await this.consents.change(tx, [
      {
        contact: known?.contact ?? null,
        addresses: [stored ?? to],
        topic,
        state: ConsentState.out,
        source: ConsentSource.unsubscribe,
        evidence: null,
      },
    ]);
  }
}
