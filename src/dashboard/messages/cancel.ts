import { change } from "../api/client";
import { toast } from "../ui/toast";
import { CancelMessageDocument } from "./documents.generated";

/**
 * Cancels a message that has not been sent.
 * @throws ApiError
 */
export async function cancelMessage(id: string): Promise<void> {
  await change(CancelMessageDocument, { id });
  toast("Canceled the message.");
}
