import { contactClient } from "../support/contacts";
import { codeOf } from "../support/people";
import { describeGateway } from "../support/suite";

const PHONE = { kind: "phone", address: "+41446681800" };

describeGateway((gateway) => {
  const post = (contacts: readonly object[]) =>
    gateway.rest("POST", "/agent/contacts/batch", { body: { contacts } });
  const results = async (contacts: readonly object[]) => {
    const { status, body } = await post(contacts);
    expect(status).toBe(200);
    return body.results;
  };
  const find = async (ref: string) => (await contactClient(gateway).find({ ref })).body.data.contact;

  test("each contact of a batch is stored as it is alone, or says why not", async () => {
    await contactClient(gateway).put({ ref: "known", name: "Anna", addresses: [PHONE] });
    const tags = (count: number) => Array.from({ length: count }, (_, i) => `tag-${i}`);
    const answered = await results([
      {
        ref: "new",
        name: "Bert",
        tags: ["VIP", "vip"],
        addresses: [{ kind: "email", address: "b@example.com" }],
      },
      { ref: "known", locale: "de", tags: ["vip"] },
      { ref: "not its owner", addresses: [PHONE] },
      { ref: "full", tags: tags(51) },
      { addresses: [PHONE] },
    ]);
    const known = await find("known");
    expect(answered).toEqual([
      { contactId: (await find("new")).id, created: true },
      { contactId: known.id, created: false },
      {
        created: false,
        errorCode: "conflict",
        errorText: expect.stringMatching(/^Another/),
      },
      {
        created: false,
        errorCode: "limit_reached",
        errorText: expect.stringMatching(/50 tags/),
      },
      { contactId: known.id, created: false },
    ]);
    expect(await find("new")).toMatchObject({ name: "Bert", tags: ["vip"], version: 1 });
    expect(known).toMatchObject({ name: "Anna", locale: "de", tags: ["vip"], version: 2 });
    expect([await find("not its owner"), await find("full")]).toEqual([null, null]);
  });

  test("a contact that is named several times is changed in turn, and nothing of it is lost", async () => {
    for (const ref of ["a known one", "a new one"]) {
      if (ref === "a known one") await contactClient(gateway).put({ ref });
      const address = { kind: "local", address: ref };
      const answered = await results([
        { ref, name: "Nina" },
        { ref, locale: "de", addresses: [address] },
        { ref, timezone: "Europe/Zurich", tags: ["one"] },
        { addresses: [address], attributes: { plan: "pro" }, tags: ["one", "two"] },
      ]);
      expect(new Set(answered.map(({ contactId }: { contactId: string }) => contactId)).size).toBe(1);
      const tagged = { tags: ["one", "two"], addresses: [address] };
      const fields = { name: "Nina", locale: "de", timezone: "Europe/Zurich", attributes: { plan: "pro" } };
      expect(await find(ref)).toMatchObject({ ...fields, ...tagged });
    }
  });

  test("what a batch changes of a contact by its ref and by its address is all kept", async () => {
    const address = { kind: "local", address: "by both" };
    await contactClient(gateway).put({ ref: "by both", addresses: [address] });
    await results([
      { ref: "by both", name: "Nina" },
      { addresses: [address], locale: "de" },
    ]);
    expect(await find("by both")).toMatchObject({ name: "Nina", locale: "de" });
  });

  test("500 contacts are stored by one request, and changed by none that is repeated", async () => {
    const contacts = Array.from({ length: 500 }, (_, i) => ({ ref: `many ${i}`, tags: ["many"] }));
    const first = await results(contacts);
    expect(first.every(({ created }: { created: boolean }) => created)).toBe(true);
    const second = await results(contacts);
    expect(second).toEqual(first.map((result: object) => ({ ...result, created: false })));
    expect(await find("many 499")).toMatchObject({ tags: ["many"], version: 1 });
  });

  test.each<[string, object[], string]>([
    ["no contact", [], "contacts"],
    ["501 contacts", Array.from({ length: 501 }, (_, i) => ({ ref: `${i}` })), "contacts"],
    [
      "a malformed address",
      [{ ref: "x" }, { addresses: [{ ...PHONE, address: "1" }] }],
      "contacts.1.addresses.0.address",
    ],
    ["a contact without a key", [{ ref: "x" }, { name: "Anna" }], "contacts.1.ref"],
    ["a malformed tag", [{ ref: "x", tags: ["not a tag"] }], "contacts.0.tags"],
  ])("with %s, nothing is stored, and the error says where", async (_, contacts, path) => {
    const { status, body } = await post(contacts);
    expect({ status, code: body.code }).toEqual({ status: 400, code: "invalid_request" });
    expect(body.message).toContain(path);
    expect(await find("x")).toBeNull();
    const graphql = await gateway.graphql(
      "mutation ($input: PutContactsInput!) { putContacts(input: $input) { results { contactId } } }",
      { input: { contacts } },
    );
    expect(codeOf(graphql)).toBe("invalid_request");
    expect(JSON.stringify(graphql.body.errors)).toContain(path);
  });
});
