import type { Command } from "commander";
import { addInvitationCommands } from "./invitations";
import { addMemberCommands } from "./members";
import { addAccountCommands } from "./members-on-database";

export const description = "Members (people who sign in)";

export function add(members: Command): void {
  addMemberCommands(members);
  addInvitationCommands(members);
  addAccountCommands(members);
}
