import { expectRestError } from "../support/rejections";
import { describeGateway } from "../support/suite";

describeGateway({ engine: "one", strict: true, storesNothing: true }, (gateway) => {
  /** @param members members to override or add in a valid pet, each value as JSON */
  const add = (members: Record<string, string | undefined>) => {
    const pet = Object.entries({ name: '"Rex"', categoryId: "1", ...members });
    const given = pet.filter(([, value]) => value !== undefined);
    return gateway.rest("POST", "/v1/pets", {
      body: `{${given.map(([name, value]) => `"${name}":${value}`).join(",")}}`,
    });
  };

  test.each([
    ["is missing", undefined],
    ["is null", "null"],
    ["is empty", '""'],
    ["is blank", '" \\t\\n\\u00a0\\u3000 "'],
    ["has 201 characters", JSON.stringify("x".repeat(201))],
    ["has 201 emoji", JSON.stringify("🐕".repeat(201))],
    ["has a million characters", JSON.stringify("x".repeat(1_000_000))],
    ["holds NUL", '"R\\u0000x"'],
    ["holds half a surrogate pair", '"Rex \\ud83d"'],
    ["starts with the other half", '"\\udc15 Rex"'],
    ["holds a pair in the wrong order", '"\\udc15\\ud83d"'],
    ["is a number", "1"],
    ["is a large integer", "9223372036854775807"],
    ["is a boolean", "true"],
    ["is a list", '["Rex"]'],
    ["is an object", '{"name":"Rex"}'],
  ])("a pet whose name %s is rejected", async (_, name) => {
    const reply = await add({ name });
    expectRestError(reply, "invalid_request");
    expect(reply.body.message).toMatch(/^name /);
  });

  test.each([
    ["is missing", undefined],
    ["is null", "null"],
    ["is text", '"7"'],
    ["is empty text", '""'],
    ["is 1.5", "1.5"],
    ["is tiny", "1e-7"],
    ["is 2^63", "9223372036854775808"],
    ["is below -2^63", "-9223372036854775809"],
    ["has a thousand digits", "9".repeat(1000)],
    ["is 1e21", "1000000000000000000000"],
    ["is a boolean", "true"],
    ["is a list", "[1]"],
    ["is an object", '{"id":1}'],
  ])("a pet whose categoryId %s is rejected", async (_, categoryId) => {
    const reply = await add({ categoryId });
    expectRestError(reply, "invalid_request");
    expect(reply.body.message).toMatch(/^categoryId /);
  });

  test.each(['"lost"', '"Available"', '""', '" sold"', "1", "true", '["sold"]', "{}", '"__proto__"'])(
    "a pet whose status is %s is rejected",
    async (status) => {
      const reply = await add({ status });
      expectRestError(reply, "invalid_request");
      expect(reply.body.message).toBe(
        status === '["sold"]'
          ? "status must not be a list"
          : "status must be one of available, pending, sold",
      );
    },
  );

  test.each([
    ['"7"', "sent as a JSON number: leave out the quotes"],
    ["9223372036854775808", "write them with a lossless JSON library"],
    ["1e19", "write them with a lossless JSON library"],
  ])("the rejection of the categoryId %s says what to do", async (categoryId, advice) => {
    expect((await add({ categoryId })).body.message).toContain(advice);
  });

  test("types and ranges are checked together", async () => {
    const { message } = (await add({ name: '" "', categoryId: '"7"' })).body;
    expect(message).toMatch(/^name must not be empty; categoryId must be a 64-bit integer/);
  });

  test("the rejection of a pet with several faults names all of them", async () => {
    const { message } = (await add({ name: "1", categoryId: '"7"', status: '"lost"', tag: '"x"' })).body;
    for (const name of ["name", "categoryId", "status", "tag"]) expect(message).toContain(`${name} `);
  });
});
