import { AddressKind } from "../../src/features/contacts/contact-address.entity";
import { addContact } from "../support/contacts";
import { addConversation } from "../support/conversations";
import { mint, operator, type Reply } from "../support/gateway";
import fc from "../support/generated";
import { hostile, int, json, junk, maybe, text } from "../support/hostile-values";
import { addLine } from "../support/lines";
import { toolError } from "../support/mcp";
import { describeGateway } from "../support/suite";
import { cases } from "../support/tiers";

const run = (numRuns: number) => ({ numRuns: cases(numRuns), endOnFailure: false });

/** The outcome of an input at an API: the created or found value, or the error code. */
type Outcome = { value: unknown } | { code: string };

const outcomeOfRest = ({ status, body, text }: Reply): Outcome =>
  status < 300 ? { value: exact(text) } : { code: body.code };

/** @param field the root field with the value; `none` is the code for null, which REST cannot return */
function outcomeOfGraphQL({ body, text }: Reply, field: string, none = "null"): Outcome {
  const [error] = body.errors ?? [];
  if (error !== undefined) return { code: error.extensions.code };
  return body.data[field] === null ? { code: none } : { value: exact(text).data[field] };
}

/** A tool's text is REST's body. */
function outcomeOfTool(reply: Reply): Outcome {
  const [{ text }] = reply.body.result.content;
  return toolError(reply) ? { code: toolError(reply).code } : { value: exact(text) };
}

/** Parses JSON with each int64 as text and without nulls, so that the APIs can be compared and nothing is rounded. */
const exact = (text: string) =>
  JSON.parse(text.replace(/("(?:id|categoryId)":)(-?\d+)/g, '$1"$2"'), (_, value) =>
    value === null ? undefined : value,
  );

/** Returns an input as a tool understands it: null and an empty string count as omitted optional arguments. */
const understood = (input: object, required: string[] = []) =>
  Object.fromEntries(
    Object.entries(input).filter(
      ([name, value]) => required.includes(name) || (value !== null && value !== ""),
    ),
  );

const withoutId = (outcome: Outcome): Outcome =>
  "value" in outcome
    ? { value: { ...(outcome.value as object), id: undefined, createdAt: undefined } }
    : outcome;

describeGateway({ engine: "any", env: { LOG_LEVEL: "silent" } }, (gateway) => {
  beforeAll(async () => {
    await gateway.services.pets.seed(50);
  });

  const graphql = (query: string, variables: unknown) => {
    const body = `{"query":${JSON.stringify(query)},"variables":${json(variables, (digits) => `"${digits}"`)}}`;
    return gateway.graphql(query, {}, { body });
  };
  const post = (path: string, body: unknown) => gateway.rest("POST", path, { body: json(body, String) });
  const tool = (name: string, args: unknown, token = gateway.key) => {
    const params = `{"name":"${name}","arguments":${json(args, String)}}`;
    const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`;
    return gateway.rest("POST", "/mcp", { body, token });
  };

  test("createPet creates the same pet, or rejects with the same code", async () => {
    const pet = fc.record(
      {
        name: maybe(hostile(text)),
        categoryId: maybe(
          hostile(
            int,
            fc.oneof(fc.double({ noInteger: true, noNaN: true }), fc.constantFrom("x", true, null)),
          ),
        ),
        status: maybe(
          hostile(
            fc.constantFrom("available", "pending", "sold", null),
            fc.constantFrom("lost", 1, "", [], {}),
          ),
        ),
        surplus: fc.option(fc.constant(1), { nil: undefined, freq: 20 }),
      },
      { requiredKeys: [] },
    );
    const mutation =
      "mutation ($input: CreatePetInput!) { createPet(input: $input) { id name categoryId status } }";
    await fc.assert(
      fc.asyncProperty(pet, async (input) => {
        const [rest, graph, called, same] = await Promise.all([
          post("/v1/pets", input),
          graphql(mutation, { input }),
          tool("createPet", input),
          post("/v1/pets", understood(input, ["name", "categoryId"])),
        ]);
        expect(withoutId(outcomeOfRest(rest))).toEqual(withoutId(outcomeOfGraphQL(graph, "createPet")));
        expect(withoutId(outcomeOfTool(called))).toEqual(withoutId(outcomeOfRest(same)));
      }),
      run(450),
    );
  });

  test("sendMessage queues the same message, or rejects with the same code", async () => {
    const message = fc.record({ message: maybe(hostile(text)) }, { requiredKeys: [] });
    const mutation =
      "mutation ($input: SendMessageInput!) { sendMessage(input: $input) { id message: text status createdAt } }";
    await fc.assert(
      fc.asyncProperty(message, async (input) => {
        const [rest, graph, called] = await Promise.all([
          post("/messages", input),
          graphql(mutation, { input: { ...input, message: undefined, text: input.message } }),
          tool("sendMessage", input),
        ]);
        expect(withoutId(outcomeOfRest(rest))).toEqual(withoutId(outcomeOfGraphQL(graph, "sendMessage")));
        expect(withoutId(outcomeOfTool(called))).toEqual(withoutId(outcomeOfRest(rest)));
      }),
      run(200),
    );
  });

  test("putContact stores the same contact, or rejects with the same code", async () => {
    // Each API writes to a separate agent, so that both see the same history.
    const tokens = await Promise.all(
      ["rest", "graphql", "mcp", "same-as-mcp"].map(async (slug) => {
        await gateway.services.agents.create(await operator(gateway), { slug, name: slug });
        return (await mint(gateway, { agent: slug })).secret;
      }),
    );
    const address = fc.record(
      {
        kind: maybe(hostile(fc.constantFrom("email", "phone", "local", "other"), fc.constantFrom("fax", 1))),
        address: maybe(
          hostile(fc.oneof(text, fc.constantFrom("a@example.com", " A@Example.com", "+41446681800"))),
        ),
      },
      { requiredKeys: [] },
    );
    const contact = fc.record(
      {
        ref: maybe(hostile(fc.oneof(text, fc.constantFrom("a", "b", null)))),
        name: maybe(hostile(text)),
        locale: maybe(hostile(fc.constantFrom("de", "DE-ch", "x", null))),
        timezone: maybe(hostile(fc.constantFrom("UTC", "Europe/Zurich", "Mars", null))),
        attributes: maybe(hostile(fc.dictionary(text, fc.oneof(text, junk), { maxKeys: 3 }))),
        addresses: maybe(hostile(fc.array(address, { maxLength: 3 }))),
        surplus: fc.option(fc.constant(1), { nil: undefined, freq: 20 }),
      },
      { requiredKeys: [] },
    );
    const mutation = `mutation ($input: PutContactInput!) {
      putContact(input: $input) {
        contact { ref name locale timezone attributes addresses { kind address } tags version erasedAt }
      }
    }`;
    const comparable = (outcome: Outcome) =>
      "value" in outcome
        ? JSON.parse(JSON.stringify(outcome.value), (name, value) =>
            ["id", "createdAt", "updatedAt"].includes(name) ? undefined : value,
          )
        : outcome;
    await fc.assert(
      fc.asyncProperty(contact, async (input) => {
        const body = json(input, String);
        const put = (sent: object, token = "") =>
          gateway.rest("POST", "/agent/contacts", { body: json(sent, String), token });
        const [rest, graph, called, same] = await Promise.all([
          put(input, tokens[0]),
          gateway.graphql(
            "",
            {},
            {
              body: `{"query":${JSON.stringify(mutation)},"variables":{"input":${body}}}`,
              token: tokens[1] as string,
            },
          ),
          tool("putContact", input, tokens[2]),
          put(understood(input), tokens[3]),
        ]);
        const { contact: stored, ...failed } = comparable(outcomeOfGraphQL(graph, "putContact"));
        expect(comparable(outcomeOfRest(rest))).toEqual(stored ?? failed);
        expect(comparable(outcomeOfTool(called))).toEqual(comparable(outcomeOfRest(same)));
      }),
      run(300),
    );
  });

  describe("conversations", () => {
    /** Each API works for a separate agent, so that both see the same history. */
    let sides: { token: string; conversation: string }[];
    beforeAll(async () => {
      sides = await Promise.all(
        ["rest", "graphql", "mcp", "same-as-mcp"].map(async (api) => {
          const agent = { slug: `${api}-talks`, name: api };
          const { id: agentId } = await gateway.services.agents.create(await operator(gateway), agent);
          await addLine(gateway, { agentId, name: "second" });
          const addresses = ["x", "y"].map((address) => ({ kind: AddressKind.local, address }));
          await addContact(gateway, { agentId, ref: "a", addresses });
          await addContact(gateway, { agentId, ref: "no address" });
          return {
            token: (await mint(gateway, { agent: agent.slug })).secret,
            conversation: (await addConversation(gateway, { agentId, address: "z" })).id,
          };
        }),
      );
    });

    const FIELDS = "line: lineName address state handler version lastSequence waitingSince";
    const comparable = (outcome: Outcome) =>
      JSON.parse(JSON.stringify(outcome), (name, value) => {
        if (/^(id|conversationId|contactId|createdAt|updatedAt)$/.test(name)) return undefined;
        // The APIs do the same things at different times.
        return name === "waitingSince" ? value !== null || undefined : value;
      });
    /** Replaces lists of IDs by their lengths, because only the IDs differ. */
    const counted = (outcome: Outcome) =>
      JSON.parse(JSON.stringify(comparable(outcome)), (name, value) =>
        name === "canceled" || name === "carried" ? value.length : value,
      );

    /**
     * Sends a request to all APIs, with each API's ID instead of `$id`, and to REST also as the tool understands it.
     */
    async function all(
      [path, body]: readonly [path: string, body: object],
      [query, variables]: readonly [query: string, variables: object],
      name: string,
    ): Promise<[Reply, Reply, Reply, Reply]> {
      type Side = (typeof sides)[0];
      const [rest, graph, mcp, same] = sides as [Side, Side, Side, Side];
      const withId = { ...variables, id: graph.conversation };
      const hasId = /\$id/.test(query);
      const post = (side: Side, sent: object) =>
        gateway.rest("POST", path.replace("$id", side.conversation), {
          token: side.token,
          body: json(sent, String),
        });
      return Promise.all([
        post(rest, body),
        gateway.graphql(
          "",
          {},
          {
            token: graph.token,
            body: `{"query":${JSON.stringify(query)},"variables":${json(hasId ? withId : variables, String)}}`,
          },
        ),
        tool(name, hasId ? { ...body, conversationId: mcp.conversation } : body, mcp.token),
        post(same, understood(body, name === "openConversation" ? ["contact"] : ["message", "line"])),
      ]);
    }

    test("openConversation opens or finds the same one, or rejects with the same code", async () => {
      const address = fc.record(
        {
          kind: maybe(hostile(fc.constantFrom("local", "email"), fc.constantFrom("fax", 1))),
          address: maybe(hostile(fc.oneof(text, fc.constantFrom("x", " y", "z")))),
        },
        { requiredKeys: [] },
      );
      const contact = fc.record(
        {
          id: fc.option(hostile(fc.oneof(text, fc.constant("01a1fcd2-0000-7000-8000-000000000001"))), {
            nil: undefined,
            freq: 1,
          }),
          ref: maybe(hostile(fc.oneof(fc.constantFrom("a", "a", "no address"), text))),
          address: fc.option(hostile(address), { nil: undefined, freq: 1 }),
        },
        { requiredKeys: [] },
      );
      const conversation = fc.record(
        {
          contact: maybe(hostile(fc.oneof(fc.constant({ ref: "a" }), contact))),
          line: maybe(hostile(fc.oneof(fc.constantFrom("main", "second", null), text))),
          message: maybe(hostile(text)),
          surplus: fc.option(fc.constant(1), { nil: undefined, freq: 20 }),
        },
        { requiredKeys: [] },
      );
      const mutation = `mutation ($input: OpenConversationInput!) {
        openConversation(input: $input) { created conversation { ${FIELDS} } message { message: text status sequence } }
      }`;
      // REST and MCP ignore nulls in a reference.
      const inGraphQL = ({ contact, line, message: text, ...input }: Record<string, unknown>) => ({
        ...input,
        text,
        line: line == null ? line : { name: line },
        contact:
          typeof contact === "object" && contact !== null
            ? Object.fromEntries(Object.entries(contact).filter(([, value]) => value !== null))
            : contact,
      });
      await fc.assert(
        fc.asyncProperty(conversation, async (input) => {
          const [rest, graph, called, same] = await all(
            ["/agent/conversations", input],
            [mutation, { input: inGraphQL(input) }],
            "openConversation",
          );
          expect(comparable(outcomeOfRest(rest))).toEqual(
            comparable(outcomeOfGraphQL(graph, "openConversation")),
          );
          expect(comparable(outcomeOfTool(called))).toEqual(comparable(outcomeOfRest(same)));
        }),
        run(250),
      );
    });

    test("sending, moving, handing off and releasing do the same, or reject with the same code", async () => {
      const version = maybe(hostile(fc.constantFrom(1, 2, null), fc.oneof(int, junk)));
      const change = fc.oneof(
        fc.record({ verb: fc.constant("messages"), message: maybe(hostile(text)) }),
        fc.record({
          verb: fc.constant("move"),
          line: maybe(hostile(fc.oneof(fc.constantFrom("main", "second"), text))),
          expectedVersion: version,
          pending: maybe(hostile(fc.constantFrom("carry", "cancel", null), fc.constantFrom("keep", 1))),
        }),
        fc.record({ verb: fc.constantFrom("handoff", "release"), expectedVersion: version }),
      );
      const changed = `{ conversation { ${FIELDS} } canceled carried inFlight }`;
      const MUTATIONS: Record<string, [field: string, types: string, selection: string]> = {
        messages: ["sendToConversation", "$message: String!", "{ message: text status sequence }"],
        move: [
          "moveConversation",
          "$line: String!, $expectedVersion: Int, $pending: PendingMessages",
          changed,
        ],
        handoff: ["handOffConversation", "$expectedVersion: Int", changed],
        release: ["releaseConversation", "$expectedVersion: Int", changed],
      };
      await fc.assert(
        fc.asyncProperty(change, async ({ verb, ...body }) => {
          const [field, types, selection] = MUTATIONS[verb] as [string, string, string];
          const args = types
            .replace(/\$(\w+): \w+!?/g, "$1: $$$1")
            .replace("$line", "{ name: $line }")
            .replace("message:", "text:");
          const query = `mutation ($id: ID!, ${types}) { ${field}(input: { id: $id, ${args} }) ${selection} }`;
          const [rest, graph, called, same] = await all(
            [`/agent/conversations/$id/${verb}`, body],
            [query, body],
            field,
          );
          expect(counted(outcomeOfRest(rest))).toEqual(counted(outcomeOfGraphQL(graph, field)));
          expect(counted(outcomeOfTool(called))).toEqual(counted(outcomeOfRest(same)));
        }),
        run(250),
      );
    });
  });

  test("getPet finds the same pet, or none", async () => {
    const id = fc.oneof(fc.integer({ min: -2, max: 60 }).map(String), int.map(String), text);
    await fc.assert(
      fc.asyncProperty(id, async (petId) => {
        // A path cannot hold an empty or dotted segment, nor a lone surrogate.
        fc.pre(petId.isWellFormed() && !["", ".", ".."].includes(petId));
        const [rest, graph, called] = await Promise.all([
          gateway.rest("GET", `/v1/pets/${encodeURIComponent(petId)}`),
          graphql("query ($id: ID!) { pet(id: $id) { id name categoryId status } }", { id: petId }),
          tool("getPet", { petId }),
        ]);
        expect(outcomeOfTool(called)).toEqual(outcomeOfRest(rest));
        expect(outcomeOfRest(rest)).toEqual(outcomeOfGraphQL(graph, "pet", "not_found"));
      }),
      run(200),
    );
  });

  test("listPets lists the same pets and leads to the same next page, or rejects with the same code", async () => {
    const cursors = await graphql("{ pets(first: 50) { edges { cursor } } }", {});
    const valid: string[] = cursors.body.data.pets.edges.map(({ cursor }: { cursor: string }) => cursor);
    const query = fc.record(
      {
        limit: hostile(
          fc.integer({ min: -3, max: 120 }),
          fc.constantFrom(1.5, 2 ** 31, 2 ** 53, "x", "", " 1", "1e1"),
        ),
        status: hostile(
          fc.constantFrom("available", "pending", "sold"),
          fc.constantFrom("lost", "", "Available"),
        ),
        cursor: hostile(
          fc.constantFrom(...valid),
          fc.oneof(fc.constantFrom("", "x", `${valid[0]}=`), fc.base64String()),
        ),
      },
      { requiredKeys: [] },
    );
    const document = `query ($first: Int, $after: String, $status: PetStatus) {
      pets(first: $first, after: $after, status: $status) {
        nodes { id name categoryId status }
        pageInfo { hasNextPage endCursor }
      }
    }`;
    await fc.assert(
      fc.asyncProperty(query, async ({ limit, status, cursor }) => {
        const given = { limit, status, cursor };
        const list = (sent: object) => {
          const parameters = Object.entries(sent).filter(([, value]) => value !== undefined);
          const texts = parameters.map(([name, value]) => [name, String(value)]);
          return gateway.rest("GET", `/v1/pets?${new URLSearchParams(Object.fromEntries(texts))}`);
        };
        const [rest, graph, called, same] = await Promise.all([
          list(given),
          graphql(document, { first: limit, after: cursor, status }),
          tool("listPets", given),
          list(understood(given)),
        ]);
        const outcome = outcomeOfGraphQL(graph, "pets");
        const { nodes, pageInfo } =
          "value" in outcome ? (outcome.value as never) : { nodes: undefined, pageInfo: undefined };
        expect(outcomeOfRest(rest)).toEqual("value" in outcome ? { value: nodes } : outcome);
        const nextOf = ({ headers }: Reply) =>
          /[?&]cursor=([\w-]+)[^>]*>; rel="next"/.exec(headers.get("link") ?? "")?.[1];
        const { hasNextPage = false, endCursor } = (pageInfo ?? {}) as {
          hasNextPage?: boolean;
          endCursor?: string;
        };
        expect(nextOf(rest)).toBe(hasNextPage ? endCursor : undefined);
        expect(outcomeOfTool(called)).toEqual(outcomeOfRest(same));
        expect(called.body.result.structuredContent?.nextCursor).toBe(nextOf(same));
      }),
      run(250),
    );
  });
});
