import { ContactInput } from "../../src/features/contacts/contact.inputs";
import type { Call, Reply, TestGateway } from "./gateway";
import { operatorOfAgent } from "./people";

export const CONTACT =
  "id agentId ref name locale timezone attributes addresses { kind address } tags version createdAt updatedAt erasedAt";

/**
 * Adds a contact to an agent through the service; its `ref` is random unless given.
 * @returns its ID
 */
export async function addContact(
  gateway: TestGateway,
  { agentId, ref = `ref ${Math.random()}`, ...input }: Partial<ContactInput> & { agentId: string },
): Promise<string> {
  const put = Object.assign(new ContactInput(), { agentId, ref, ...input });
  return (await gateway.services.contacts.put(await operatorOfAgent(gateway, agentId), put)).contact.id;
}

/** Calls the GraphQL fields of contacts with a key, the first one by default, unless a call has another token. */
export function contactClient(gateway: TestGateway, token = gateway.key) {
  const call = (query: string, variables: object, more: Call = {}): Promise<Reply> =>
    gateway.graphql(query, variables as Record<string, unknown>, { token, ...more });
  const tags = (field: string) => (id: string, names: unknown, more?: Call) =>
    call(
      `mutation ($id: ID!, $tags: [String!]!) { ${field}(id: $id, tags: $tags) { tags changed } }`,
      { id, tags: names },
      more,
    );
  return {
    put: (input: object, more?: Call) =>
      call(
        `mutation ($input: ContactInput!) { putContact(input: $input) { created contact { ${CONTACT} } } }`,
        { input },
        more,
      ),
    find: (args: object, more?: Call) =>
      call(
        `query ($id: ID, $ref: String, $agentId: ID) { contact(id: $id, ref: $ref, agentId: $agentId) { ${CONTACT} } }`,
        args,
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
      call(`mutation ($id: ID!) { eraseContact(id: $id) { ${CONTACT} } }`, { id }, more),
    addTags: tags("addContactTags"),
    removeTags: tags("removeContactTags"),
    changeTags: (id: string, change: object, more?: Call) =>
      call(
        `mutation ($id: ID!, $add: [String!], $remove: [String!]) {
           changeContactTags(id: $id, add: $add, remove: $remove) { tags changed }
         }`,
        { id, ...change },
        more,
      ),
  };
}
