import type { DecisionInput } from "../configuration/document/read-situation";
import type { Conversation } from "../conversations/conversation.entity";

/** The inputs of a decision other than its situation and the configuration. */
export type Snapshot = Omit<DecisionInput, "situation">;

/** The state when the model was called; see `obstacleTo` for the changes that invalidate the answer. */
export interface ModelRequestState {
  /** The conversation when the model was called; null if there was none. */
  conversation: Pick<Conversation, "version" | "lastSequence"> | null;
  /** True if the situation named the conversation; see `Participants`. */
  isNamed: boolean;
  /** ID of the contact's address named by the situation; null if it names none. */
  addressId: string | null;
}
