import { PutContactInput } from "../../src/features/contacts/put-contact.inputs";
import type { Call, Reply, TestGateway } from "./gateway";
import { operatorOfAgent } from "./people";

export const CONTACT =
  "id agentId ref name locale timezone attributes addresses { kind address } tags version handedOffAt createdAt updatedAt erasedAt";

/**
 * Adds a contact to an agent through the service; its `ref` is random by default.
 * @returns its ID
 */
export async function addContact(
  gateway: TestGateway,
  { agentId, ref = `ref ${Math.random()}`, ...input }: Partial<PutContactInput> & { agentId: string },
): Promise<string> {
  const put = Object.assign(new PutContactInput(), { agentId, ref, ...input });
  return (await gateway.services.contacts.put(await operatorOfAgent(gateway, agentId), put)).contact.id;
}

/** Calls the GraphQL fields of contacts with a key, by default the first one; each call can use a different token. */
export function contactClient(gateway: TestGateway, token = gateway.key) {
  const call = (query: string, variables: object, more: Call = {}): Promise<Reply> =>
    gateway.graphql(query, variables as Record<string, unknown>, { token, ...more });
  const changeTags = (id: string, change: object, more?: Call) =>
    call(
      `mutation ($input: ChangeContactTagsInput!) { changeContactTags(input: $input) { tags changed } }`,
      { input: { id, ...change } },
      more,
    );
  return {
    put: (input: object, more?: Call) =>
      call(
        `mutation ($input: PutContactInput!) { putContact(input: $input) { created contact { ${CONTACT} } } }`,
        { input },
        more,
      ),
    find: ({ agentId, ...by }: { agentId?: string; id?: string; ref?: string }, more?: Call) =>
      call(
        `query ($by: ContactBy!, $agentId: ID) { contact(by: $by, agentId: $agentId) { ${CONTACT} } }`,
        { by, agentId },
        more,
      ),
    list: (args: object, more?: Call) =>
      call(
        `query ($first: Int, $after: String, $agentId: ID, $tag: String, $search: String) {
           contacts(first: $first, after: $after, agentId: $agentId, tag: $tag, search: $search) {
             nodes { ${CONTACT} } pageInfo { hasNextPage endCursor }
           }
         }`,
        args,
        more,
      ),
    erase: (id: string, more?: Call) =>
      call(`mutation ($id: ID!) { eraseContact(input: { id: $id }) { ${CONTACT} } }`, { id }, more),
    addTags: (id: string, add: unknown, more?: Call) => changeTags(id, { add }, more),
    removeTags: (id: string, remove: unknown, more?: Call) => changeTags(id, { remove }, more),
    changeTags,
  };
}
