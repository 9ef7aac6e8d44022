import { leastUuidAt } from "../../src/common/uuid";
import { AddressKind } from "../../src/features/contacts/contact-address.entity";
import { addContact } from "../support/contacts";
import { decisionClient } from "../support/decisions";
import { mint } from "../support/gateway";
import { addOrganization, firstAgentId } from "../support/people";
import { describeGateway } from "../support/suite";

/** More contacts than a filter can list by ID. With so many, the query scans the index of the list's order. */
const CROWD = 1_100;

describeGateway((gateway) => {
  /** A contact, with the IDs of its items in each list. */
  interface Person {
    contactId: string;
    conversations: string[];
    messages: string[];
    decisions: string[];
  }

  async function addPerson(agentId: string, name: string, token: string): Promise<Person> {
    const address = `${name.toLowerCase().replaceAll(/\W/g, "-")}@example.com`;
    const addresses: { kind: AddressKind; address: string }[] = [
      { kind: AddressKind.local, address: `${name} ${Math.random()}` },
      { kind: AddressKind.email, address },
    ];
    if (name.endsWith("Queue")) addresses.push({ kind: AddressKind.phone, address: "+41 79 555 01 23" });
    const contactId = await addContact(gateway, { agentId, name, addresses });
    const { body } = await gateway.rest("POST", "/agent/conversations", {
      token,
      body: { contact: { id: contactId }, message: "Good morning" },
    });
    const { id: conversationId } = body.conversation;
    const made = await decisionClient(gateway, token).decide({ type: "unheard.of", conversationId });
    return {
      contactId,
      conversations: [conversationId],
      messages: [body.message.id],
      decisions: [made.body.id],
    };
  }

  let agentId: string;
  let fischer: Person;
  let meier: Person;
  let theirs: Person;
  let theirKey: string;
  beforeAll(async () => {
    agentId = await firstAgentId(gateway);
    fischer = await addPerson(agentId, "Ida Fischer-Queue", gateway.key);
    meier = await addPerson(agentId, "Ida Meier", gateway.key);
    const other = await addOrganization(gateway, "others");
    ({ secret: theirKey } = await mint(gateway, { agent: "others-agent" }));
    theirs = await addPerson(other.agentId, "Ida Fischer-Queue", theirKey);
  });

  const LISTS = ["conversations", "messages", "decisions"] as const;

  const idsOf = async (
    list: (typeof LISTS)[number],
    args: { search?: string; contactId?: string },
    token = gateway.owner,
  ) => {
    const { body } = await gateway.graphql(
      `query ($search: String, $contactId: ID) {
        ${list}(search: $search, contactId: $contactId) { totalCount nodes { id } } }`,
      args,
      { token },
    );
    const { nodes, totalCount } = body.data[list];
    expect(totalCount).toBe(nodes.length);
    return nodes.map(({ id }: { id: string }) => id).sort();
  };

  test.each(LISTS)("%s are found by their contacts, by ID or by a search", async (list) => {
    const both = [...fischer[list], ...meier[list]].sort();
    for (const token of [gateway.owner, gateway.key]) {
      const byAddress = ["+41 79 5550123", "0041 (0)79 555", "079 555 01 23", "ida-fischer-queue@example"];
      for (const search of ["ida  fischer-QUEUE", "IDA", "ida f", "fisch", "Queue ida", ...byAddress])
        expect([search, await idsOf(list, { search }, token)]).toEqual([
          search,
          search === "IDA" ? both : fischer[list],
        ]);
      for (const search of ["ischer", "ida x", "%", "_", "' OR 1=1 --", "\u{1F600}"])
        expect([search, await idsOf(list, { search }, token)]).toEqual([search, []]);
      expect(await idsOf(list, { contactId: meier.contactId }, token)).toEqual(meier[list]);
      expect(await idsOf(list, { contactId: meier.contactId, search: "ida" }, token)).toEqual(meier[list]);
      for (const contactId of [theirs.contactId, "unknown", leastUuidAt(1)])
        expect(await idsOf(list, { contactId }, token)).toEqual([]);
      expect(await idsOf(list, { contactId: meier.contactId, search: "fisch" }, token)).toEqual([]);
    }
  });

  test("conversations are also found by the texts of their messages, if the key may read these", async () => {
    const writer = await addPerson(agentId, "Ann", gateway.key);
    const text = "Die ÜBERWEISUNG über 100%_ fehlt";
    for (const [person, token] of [
      [writer, gateway.key],
      [theirs, theirKey],
    ] as const)
      await gateway.rest("POST", "/agent/conversations", {
        token,
        body: { contact: { id: person.contactId }, message: text },
      });
    const { secret: blind } = await mint(gateway, { scopes: ["contacts:read", "conversations:read"] });
    const found = (search: string, contactId?: string, token?: string) =>
      idsOf("conversations", { search, ...(contactId && { contactId }) }, token);
    for (const search of [" Überweisung ", "weisung über 100%_", "FEHLT", "überweisung", "100%_"])
      expect([search, await found(search)]).toEqual([search, writer.conversations]);
    for (const search of ["100__", "%fehlt", "fehlt die"])
      expect([search, await found(search)]).toEqual([search, []]);
    expect(await found("fehlt", writer.contactId)).toEqual(writer.conversations);
    expect(await found("fehlt", fischer.contactId)).toEqual([]);
    expect(await found("fehlt", undefined, gateway.key)).toEqual(writer.conversations);
    expect(await found("fehlt", undefined, blind)).toEqual([]);
  });

  test.each(LISTS)("%s are not searched by contacts with a key that may not read them", async (list) => {
    const { secret: token } = await mint(gateway, {
      scopes: ["conversations:read", "messages:read", "agent:read"],
    });
    const { body } = await gateway.graphql(`{ ${list}(search: "ida") { nodes { id } } }`, {}, { token });
    expect(body.errors?.[0]?.extensions.code).toBe("insufficient_scope");
    expect(await idsOf(list, { contactId: meier.contactId }, token)).toEqual(meier[list]);
  });

  test("a search that finds very many contacts finds the rows of each", async () => {
    const someone = await addPerson(agentId, "Crowd Last", gateway.key);
    await gateway.services.database.write(async (tx) => {
      const insert = (table: string, columns: string, row: (id: string) => string) => {
        const rows = Array.from({ length: CROWD }, (_, i) => `(${row(leastUuidAt(i + 1))})`);
        return tx.query(`insert into ${table} (${columns}) values ${rows}`);
      };
      const now = "'2026-01-01T00:00:00.000Z'";
      await insert(
        "contact",
        "id, agent_id, version, created_at, updated_at",
        (id) => `'${id}', '${agentId}', 1, ${now}, ${now}`,
      );
      for (const term of ["crowd", "fast"])
        await insert(
          "contact_term",
          "contact_id, agent_id, term",
          (id) => `'${id}', '${agentId}', '${term}'`,
        );
    });
    for (const list of LISTS)
      for (const search of ["crow", "crowd la"]) expect(await idsOf(list, { search })).toEqual(someone[list]);
    const writer = await addPerson(agentId, "Ben", gateway.key);
    // With so many contacts, the condition on texts is combined with one on search terms.
    await gateway.rest("POST", "/agent/conversations", {
      token: gateway.key,
      body: { contact: { id: writer.contactId }, message: "What a crowd" },
    });
    const both = [...someone.conversations, ...writer.conversations].sort();
    expect(await idsOf("conversations", { search: "crow" })).toEqual(both);
  });
});
