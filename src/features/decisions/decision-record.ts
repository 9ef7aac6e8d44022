import type { DecisionInput } from "../configuration/document/read-situation";
import type { Conversation } from "../conversations/conversation.entity";

/** The inputs of a decision other than its situation and the configuration. */
export type Snapshot = Omit<DecisionInput, "situation">;

/** The state when the model was asked; see `obstacleTo` for the changes that discard the answer. */
export interface ModelRequestState {
  /** The conversation at that time; null if there was none. */
  conversation: Pick<Conversation, "version" | "lastSequence"> | null;
  /** See `Participants`. */
  isNamed: boolean;
  /** ID of the contact's address named by the situation; null if it names none. */
  addressId: string | null;
}
