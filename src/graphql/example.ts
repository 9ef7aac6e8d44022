/** Examples for callers with an API key. */
export const KEY_EXAMPLES = [
  `query WhoAmIAndWhatIsThere {
  whoami {
    agent { slug name }
    organization { name }
    key { name hint }
  }
  pets(first: 5) {
    nodes { id name categoryId status }
    pageInfo { hasNextPage endCursor }
  }
}`,
  `mutation AddPet {
  createPet(input: { name: "Rex", categoryId: "1", status: available }) { id name }
}`,
  `mutation QueueMessage {
  sendMessage(input: { text: "Hello" }) { id status createdAt }
}`,
  `# Follows the agent's events. Run it, then queue a message.
subscription FollowEvents {
  events { position type subject data }
}`,
] as const;

/** An example for members. */
export const MEMBER_EXAMPLE = `query MyOrganization {
  viewer {
    email
    permissions
    organization { name }
  }
  agents { id slug name }
}
`;

/** The initial document of Apollo Sandbox. */
export const EXAMPLE = `# Put your API key into the Authorization header below (Headers tab), then press the play button.
# The server printed a key when it first started; "npm run -s gateway -- keys create" mints another.

${KEY_EXAMPLES.join("\n\n")}
`;
