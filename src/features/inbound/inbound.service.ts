import { type EntityManager } from "typeorm";
import { isUuid } from "../../common/uuid";
import type { Database } from "../../database/database";
import { GatewayError, InvalidInput, noSuch } from "../../errors";
import { InstanceKeyError, type InstanceKeyService } from "../../instance-key/instance-key.service";
import { signingSecretsOf } from "../../instance-key/signing-secrets";
import type { RejectedTokens } from "../../rate-limits/rejected-tokens";
import { normalizeAddress } from "../contacts/addresses";
import { AddressKind, ContactAddress } from "../contacts/contact-address.entity";
import { addressKindOf } from "../lines/address-kind";
import { Line, LineState } from "../lines/line.entity";
import { Message } from "../messages/message.entity";
import type { Receipt, Receipts } from "../messages/receipts";
import { type Arrival, type Inbound, type InboundLine, nameOf, type Received, repeatsOf } from "./arrivals";
import type { EarlyReceipts } from "./early-receipts";
import type { InboundMessages } from "./inbound-messages";

/** Max attempts to store a message while concurrent requests keep changing its contact. */
const MAX_ATTEMPTS = 5;

/** Max messages per transaction, because the first sender has to wait for the last message. */
const MAX_BATCH = 64;

/** Receives messages from contacts, and reports from other systems about sent messages. */
export class InboundService {
  /** Stores a message; concurrent messages share a transaction. */
  private readonly store: (arrival: Arrival) => Promise<Received>;

  constructor(
    private readonly database: Database,
    private readonly messages: InboundMessages,
    private readonly instanceKey: InstanceKeyService,
    private readonly rejectedTokens: RejectedTokens,
    private readonly receipts: Receipts,
    private readonly earlyReceipts: EarlyReceipts,
  ) {
    this.store = database.batchFairly<Arrival, Received>({
      ownerOf: ({ line }) => line.agent.organizationId,
      maxRows: MAX_BATCH,
      store: (tx, arrivals) => messages.store(tx, arrivals),
    });
  }

  /**
   * Returns the line named by a request, with its organization and currently valid secrets.
   * @param ip address of the client; each address may guess only a limited number of line IDs
   * @throws GatewayError `invalid_signature` for a line that does not exist or has no secret, `too_many_attempts`,
   *   `unavailable` if the instance key is missing
   */
  async lineFor(
    id: string,
    ip: string | null,
  ): Promise<{ line: InboundLine; organizationId: string; secrets: readonly string[] }> {
    const line = await this.rejectedTokens.find(
      isUuid(id) ? `line:${id.toLowerCase()}` : undefined,
      ip,
      async () => (await this.database.read((reader) => lineOfAgent(reader, id.toLowerCase()))) ?? undefined,
    );
    if (line === undefined || line.secretGeneration === 0) throw new GatewayError("invalid_signature");
    try {
      const { organizationId } = line.agent;
      return { line, organizationId, secrets: signingSecretsOf(line, await this.instanceKey.current()) };
    } catch (error) {
      // The sender is not at fault, so the error asks for a retry.
      if (error instanceof InstanceKeyError)
        throw new GatewayError("unavailable", undefined, { cause: error });
      throw error;
    }
  }

  /**
   * Stores a contact's message. After `burstSeconds`, the agent decides about all messages received by then.
   * A line stores each message ID only once. A message that consists only of STOP or START opts the address
   * out or in.
   * @throws GatewayError `invalid_request` with the path `from`, or `conflict` for an archived line
   */
  async receive(line: InboundLine, inbound: Inbound): Promise<Received> {
    const kind = addressKindOf(line);
    const found = normalizeAddress(kind, inbound.from);
    if ("problem" in found) throw new InvalidInput([{ path: "from", message: found.problem }]);
    const sender = { kind, address: found.address };
    const sent = { line, from: sender, inbound: byPerson(line, inbound) };
    const arrival = isRelayed(sent) ? await this.database.read((reader) => byAuthor(reader, sent)) : sent;
    const repeat = async () =>
      (await this.database.read((reader) => repeatsOf(reader, [arrival]))).get(nameOf(arrival));
    if (line.state === LineState.archived) {
      const known = await repeat();
      if (known !== undefined) return known;
      throw new GatewayError("conflict", "The line is archived.");
    }
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.store(arrival);
      } catch (error) {
        // A concurrent request may have stored a message with the same ID from another address.
        const known = await repeat();
        if (known !== undefined) return known;
        if (!(error instanceof GatewayError) || error.code !== "conflict") throw error;
        // The sender is not at fault for concurrent changes to the contact, so the error asks for a retry.
        if (attempt === MAX_ATTEMPTS) throw new GatewayError("unavailable", undefined, { cause: error });
      }
    }
  }

  /** Applies a receipt if its message is known; undefined if the line did not send the message. */
  applied(line: Line, receipt: Omit<Receipt, "lineId">): Promise<Message | undefined> {
    return this.receipts.apply({ ...receipt, lineId: line.id }, { owner: line.agent?.organizationId });
  }

  /** Opts out a message's recipient after a complaint; a no-op if the line did not send the message. */
  complained(line: InboundLine, message: Receipt["message"]): Promise<void> {
    return this.database.writeFor(line.agent.organizationId, (tx) =>
      this.messages.optOutRecipient(tx, line, message),
    );
  }

  /**
   * Applies a receipt. If its message ID is not known yet, stores the receipt for at most an hour instead.
   * @returns the current message; undefined for a stored receipt
   * @throws GatewayError `not_found`
   */
  async report(line: Line, receipt: Omit<Receipt, "lineId">): Promise<Message | undefined> {
    const message = await this.applied(line, receipt);
    if (message !== undefined) return message;
    if (!("providerId" in receipt.message)) throw noSuch("message");
    const { providerId } = receipt.message;
    await this.earlyReceipts.keep(line, { ...receipt, message: { providerId } });
    return undefined;
  }
}

/** @returns null if the line does not exist or its agent was deleted */
const lineOfAgent = (reader: EntityManager, id: string): Promise<InboundLine | null> =>
  reader
    .createQueryBuilder(Line, "line")
    .innerJoinAndSelect("line.agent", "agent")
    .innerJoinAndSelect("agent.organization", "organization")
    .where({ id })
    .getOne() as Promise<InboundLine | null>;

const domainOf = (address: string): string => address.slice(address.lastIndexOf("@") + 1).toLowerCase();

/** Ignores that the line's own mailing list marks all its messages as automatic, unless a program wrote the message. */
function byPerson({ email }: InboundLine, inbound: Inbound): Inbound {
  const list = email?.listAddress?.toLowerCase();
  const isOfList = list !== undefined && inbound.lists?.includes(list) === true;
  return isOfList ? { ...inbound, isAutomatic: inbound.isProgram === true } : inbound;
}

/** True if an e-mail was sent by a form on the line's own domain, or by a mailing list that replaces `From`. */
const isRelayed = ({ line, from: { address }, inbound: { author, lists = [] } }: Arrival): boolean =>
  author !== undefined && (domainOf(address) === domainOf(line.address ?? "") || lists.includes(address));

/** Attributes an e-mail to its author unless the author is a known contact, whose address anyone could have entered. */
async function byAuthor(reader: EntityManager, arrival: Arrival): Promise<Arrival> {
  const { line, inbound } = arrival;
  const { author } = inbound;
  const found = author === undefined ? undefined : normalizeAddress(AddressKind.email, author.from);
  if (author === undefined || found === undefined || "problem" in found) return arrival;
  if (found.address === line.address?.toLowerCase() || inbound.lists?.includes(found.address)) return arrival;
  const from = { kind: AddressKind.email, address: found.address };
  const isKnown = await reader.existsBy(ContactAddress, { agentId: line.agentId, ...from });
  return isKnown ? arrival : { line, from, inbound: { ...inbound, name: author.name } };
}
