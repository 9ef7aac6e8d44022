import type { Command } from "commander";
import { addInvitationCommands } from "./invitations";
import { addMemberCommands, addPasskeyCommands, addRemovalCommands, addSignInCommands } from "./members";

export const description = "Members (people who sign in)";

/** Adds the commands of `gateway members`. */
export function add(members: Command): void {
  for (const each of [
    addMemberCommands,
    addInvitationCommands,
    addSignInCommands,
    addPasskeyCommands,
    addRemovalCommands,
  ])
    each(members);
}
