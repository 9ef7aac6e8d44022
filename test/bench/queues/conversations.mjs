import { v7 as uuid } from "uuid";
import { insertRows } from "../data.mjs";

/**
 * Adds contacts of an agent with two conversations each, one on a webhook line and one on the local line.
 * @returns the IDs of the `lines` and the lists of IDs of the `conversations`, both by kind of line
 */
export async function insertConversations(run, agentId, { count, url }) {
  const at = new Date().toISOString();
  const owned = { agent_id: agentId };
  const hook = {
    ...{ id: uuid(), ...owned, name: "hook", kind: "webhook", state: "active", is_default: false },
    ...{ settings: JSON.stringify({ url, addressKind: "other" }), secret_generation: 1, version: 1 },
    ...{ expire_after_seconds: 259_200, when_uncertain: "retry", created_at: at },
  };
  await insertRows(run, "line", [hook]);
  // The default line has the ID of its agent.
  const lines = { webhook: hook.id, local: agentId };
  const contacts = Array.from({ length: count }, () => ({
    ...{ id: uuid(), ...owned, version: 1, created_at: at, updated_at: at },
  }));
  const addresses = contacts.map(({ id }, i) => ({
    ...{ id: uuid(), ...owned, contact_id: id, kind: "other", address: `customer-${i}` },
  }));
  await insertRows(run, "contact", contacts);
  await insertRows(run, "contact_address", addresses);
  const conversations = {};
  for (const [kind, line] of Object.entries(lines)) {
    const rows = addresses.map(({ id, contact_id }) => ({
      ...{ id: uuid(), ...owned, contact_id, address_id: id, line_id: line, state: "open", handler: "agent" },
      ...{ version: 1, last_sequence: 0, created_at: at, updated_at: at },
    }));
    await insertRows(run, "conversation", rows);
    conversations[kind] = rows.map(({ id }) => id);
  }
  return { lines, conversations };
}
