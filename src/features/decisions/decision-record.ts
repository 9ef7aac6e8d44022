import type { DecisionInput } from "../configuration/document/evaluate";
import type { Conversation } from "../conversations/conversation.entity";

/** The inputs of a decision besides its situation and the configuration. */
export type Snapshot = Omit<DecisionInput, "situation">;

/** The state in which a model was asked for a decision; an answer counts only while it still holds. */
export interface ModelRequestState {
  /** The conversation then; null for none. */
  conversation: Pick<Conversation, "version" | "lastSequence"> | null;
  /** As in `Participants`. */
  isNamed: boolean;
  /** ID of the contact's address that the situation names; null if it names none. */
  addressId: string | null;
}
