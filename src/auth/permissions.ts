import { registerEnumType } from "type-graphql";

/** What a member may do beyond viewing the organization. */
export enum Permission {
  config_manage = "config:manage",
  conversations_read = "conversations:read",
  conversations_write = "conversations:write",
}

/** All permissions, in display order. */
export const PERMISSIONS: readonly Permission[] = Object.values(Permission);

registerEnumType(Permission, {
  name: "Permission",
  description: "Permissions of a member in the organization, beyond viewing agents and members.",
  valuesConfig: {
    config_manage: {
      description: "`config:manage`: manage API keys, members and the organization, and read the audit log.",
    },
    conversations_read: {
      description: "`conversations:read`: read the conversations of the agents.",
    },
    conversations_write: {
      description: "`conversations:write`: write in conversations and manage contacts.",
    },
  },
});

/** What an API key may be used for. */
export enum Scope {
  pets_read = "pets:read",
  pets_write = "pets:write",
  messages_read = "messages:read",
  messages_write = "messages:write",
  agent_read = "agent:read",
  agent_decide = "agent:decide",
  contacts_read = "contacts:read",
  contacts_write = "contacts:write",
  conversations_read = "conversations:read",
  conversations_write = "conversations:write",
  events_read = "events:read",
}

/** All scopes, in display order. */
export const SCOPES: readonly Scope[] = Object.values(Scope);

registerEnumType(Scope, {
  name: "Scope",
  description: "Scope of an API key.",
  valuesConfig: {
    pets_read: { description: "`pets:read`: list and read pets." },
    pets_write: { description: "`pets:write`: add pets." },
    messages_read: { description: "`messages:read`: list and read the agent's messages." },
    messages_write: { description: "`messages:write`: queue and cancel messages." },
    agent_read: { description: "`agent:read`: read the agent's configuration, lines and decisions." },
    agent_decide: {
      description: "`agent:decide`: have the agent decide, and do what its configuration says.",
    },
    contacts_read: { description: "`contacts:read`: list and read contacts." },
    contacts_write: { description: "`contacts:write`: add, change and erase contacts." },
    conversations_read: { description: "`conversations:read`: list and read conversations." },
    conversations_write: {
      description: "`conversations:write`: open, move, hand off and close conversations.",
    },
    events_read: { description: "`events:read`: read and follow the agent's events." },
  },
});
