/** Paths of the pages for resources, by kind of resource. */
const PATHS: Readonly<Record<string, string>> = {
  agent: "/agents/",
  api_key: "/api-keys/",
  configuration: "/configuration?agent=",
  contact: "/contacts/",
  conversation: "/conversations/",
  decision: "/decisions/",
  line: "/lines/",
  member: "/settings/members?member=",
  message: "/messages/",
  webhook_endpoint: "/webhooks/",
};

/**
 * Returns the path of a resource's page.
 * @param subject an event's subject, such as `conversation:<id>`
 * @returns undefined if the dashboard has no page for it
 */
export function subjectHref(subject: string): string | undefined {
  const [kind = "", id = ""] = subject.split(":");
  const path = PATHS[kind];
  return path && path + encodeURIComponent(id);
}
