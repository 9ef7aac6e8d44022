// Requests with as many related lists as a document may contain, on four concurrent connections.
import { post } from "../fixture.mjs";

export const expect = {
  addedP99Ms: 1_000,
  recoveryMs: 2_000,
};

const CONNECTIONS = 4;
const CONVERSATIONS = 100;
/** Number of lists per conversation; a document contains 1,000 related objects and lists. */
const ALIASES = 10;

const authorized = (key) => ({ authorization: `Bearer ${key}` });

/** Opens conversations of the attackers' agent. */
export async function start({ port, key }) {
  const open = async (i) => {
    const address = { kind: "local", address: `customer-${i}` };
    const request = (path, body) => ({ path, headers: authorized(key), body });
    const { status: added, answer: contact } = await post(
      port,
      request("/agent/contacts", { addresses: [address] }),
    );
    if (added !== 201) throw new Error(`A contact was answered ${added}: ${JSON.stringify(contact)}`);
    const body = { contact: { id: contact.id }, message: "Your order is ready." };
    const { status, answer } = await post(port, request("/agent/conversations", body));
    if (status !== 201) throw new Error(`A conversation was answered ${status}: ${JSON.stringify(answer)}`);
  };
  await Promise.all(Array.from({ length: CONVERSATIONS }, (_, i) => open(i)));
}

export async function run(traffic, { key }) {
  const lists = Array.from({ length: ALIASES }, (_, i) => `a${i}: messages(first: 1) { nodes { id } }`);
  const query = `{ conversations(first: ${CONVERSATIONS}) { nodes { ${lists.join(" ")} } } }`;
  const request = { method: "POST", path: "/graphql", headers: authorized(key), body: { query } };
  await traffic.closedLoop(CONNECTIONS, () => traffic.send(request));
}
