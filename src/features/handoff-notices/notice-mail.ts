import type { SystemMail } from "../../delivery/mailer";

export interface Notice {
  id: string;
  conversationId: string;
  email: string;
  /** Name of the agent whose conversation was handed off. */
  agent: string;
  /** True if the conversation is assigned to the member. */
  isAssigned: boolean;
}

/** Returns the e-mail for a notice, with links to the dashboard and no data about the contact. */
export const noticeMail = (
  { id, conversationId, email, agent, isAssigned }: Notice,
  dashboard: string,
): SystemMail => ({
  id,
  to: email,
  subject: `${agent}: a conversation needs a person`,
  text: `A conversation with the agent ${agent} was handed off to a person${isAssigned ? " and is assigned to you" : ""}:

${dashboard}/conversations/${conversationId}

You will not get another e-mail about this conversation until someone opens it.

To stop these e-mails, open your profile:

${dashboard}/settings/profile
`,
});
