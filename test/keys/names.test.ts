import { actionsOn } from "../support/audit";
import { operator } from "../support/gateway";
import { apiKeyClient, expire } from "../support/keys";
import { codeOf } from "../support/people";
import { slowTest } from "../support/slow-test";
import { describeGateway } from "../support/suite";

/** The flag of a part of a country (UTS 51, annex C). */
const flag = (region: string) =>
  `🏴${String.fromCodePoint(...[...region, "\x7f"].map((letter) => 0xe0000 + letter.charCodeAt(0)))}`;

describeGateway({ engine: "any" }, (gateway) => {
  const desk = apiKeyClient(gateway);

  const createdAs = async (name: string, more = {}) =>
    (await desk.create({ name, ...more })).body.data.createApiKey.apiKey;
  const rejection = async (name: unknown, more = {}) => codeOf(await desk.create({ name, ...more }));

  test("spaces at the ends of a name are removed when a key is created or renamed", async () => {
    const { id, name } = await createdAs(" \t ends\u00a0\n");
    expect(name).toBe("ends");
    expect((await desk.update(id, { name: "  other end " })).body.data.updateApiKey.name).toBe("other end");
    expect(await rejection(" other end")).toBe("conflict");
  });

  test("a name has 1 to 100 code points", async () => {
    expect((await createdAs("🐕".repeat(100))).name).toBe("🐕".repeat(100));
    expect((await createdAs(`  ${"b".repeat(100)}  `)).name).toBe("b".repeat(100));
    expect((await createdAs("c")).name).toBe("c");
    for (const name of ["", "   ", "d".repeat(101), "🐕".repeat(101), "nul\0", "\ud800"]) {
      expect(await rejection(name)).toBe("invalid_request");
    }
    const { id } = await createdAs("to rename");
    for (const name of ["", " ", "d".repeat(101)]) {
      expect(codeOf(await desk.update(id, { name }))).toBe("invalid_request");
    }
  });

  test("no two active keys of an agent share a name, but keys of different agents may", async () => {
    await createdAs("shared");
    expect(await rejection("shared")).toBe("conflict");
    const other = { slug: "another-agent", name: "Another" };
    const { id: agentId } = await gateway.services.agents.create(await operator(gateway), other);
    expect((await createdAs("shared", { agentId })).agent.slug).toBe("another-agent");
  });

  test("names that differ only in their Unicode form are the same name when a key is created or renamed", async () => {
    const pairs = [
      ["caf\u00e9", "cafe\u0301"],
      ["\ufb01nance", "finance"],
      ["two\u00a0words", "two words"],
      ["\ufdfa".repeat(20), "\ufdfa".repeat(20)],
    ];
    for (const [one = "", other = ""] of pairs) {
      const { id } = await createdAs(one);
      expect(await rejection(other)).toBe("conflict");
      const { id: third } = await createdAs(`third ${one.length}`);
      expect(codeOf(await desk.update(third, { name: other }))).toBe("conflict");
      expect((await desk.update(id, { name: other })).body.data.updateApiKey.name).toBe(other);
      await desk.revoke(id);
      await desk.revoke(third);
      expect(await rejection(one)).toBeUndefined();
    }
  });

  test("a name contains no invisible characters or characters that change the direction of text", async () => {
    const invisible = [
      "\u200b",
      "\u200d",
      "\u00ad",
      "\u202e",
      "\u2066",
      "\u200f",
      "\ufeff",
      "\u3164",
      "\ufe0f",
      "\u{e0041}",
    ];
    for (const character of [...invisible, "\u0085", "\u009b", "\u2028", "\u001b"]) {
      expect([character, await rejection(`bil${character}ling`)]).toEqual([character, "invalid_request"]);
    }
    for (const name of [
      "می\u200c",
      "\u200cمی",
      "می\u200c\u200cخواهم",
      "👩\u200d",
      "a\ufe0f",
      "👩\ufe0f\ufe0f",
      "a\u{e0067}",
      flag("gbeng").slice(0, -2),
      flag("gbeng").slice(2),
      flag("gbxyz"),
    ]) {
      expect([name, await rejection(name)]).toEqual([name, "invalid_request"]);
    }
    const { id } = await createdAs("visible");
    expect(codeOf(await desk.update(id, { name: "visible\u200b" }))).toBe("invalid_request");
    for (const name of ["Zoë 🐕", "データ", "שלום", "हिन्दी"]) expect((await createdAs(name)).name).toBe(name);
  });

  test("a name contains joiners and tags where a word or an emoji needs them, and is the same name without them", async () => {
    const joined = [
      "می\u200cخواهم",
      "शर्\u200dमा",
      "മോഹന്\u200d",
      "श्रीमान्\u200c",
      "👩🏽\u200d❤\ufe0f\u200d👨🏿",
      "👨\u200d👩\u200d👧",
      "1\ufe0f\u20e3",
      `${flag("gbsct")}${flag("gbwls")}`,
    ];
    for (const name of joined) {
      expect((await createdAs(name)).name).toBe(name);
      expect(await rejection(name.replace(/\p{Default_Ignorable_Code_Point}/gu, ""))).toBe("conflict");
    }
  });

  test("the name of a revoked key can be used again", async () => {
    const { id } = await createdAs("again");
    await desk.revoke(id);
    expect((await createdAs("again")).id).not.toBe(id);
  });

  test("the name of an expired key can be used again, by a new or renamed key", async () => {
    const first = await createdAs("temporary");
    await expire(gateway, first.id);
    const second = await createdAs("temporary");
    await expire(gateway, second.id);
    const third = await createdAs("lasting");
    expect((await desk.update(third.id, { name: "temporary" })).body.data.updateApiKey.name).toBe(
      "temporary",
    );
    expect(await rejection("temporary")).toBe("conflict");
  });

  test("a renamed key releases its old name and keeps working with the new one", async () => {
    const { id } = await createdAs("before");
    await createdAs("occupied");
    expect(codeOf(await desk.update(id, { name: "occupied" }))).toBe("conflict");
    expect((await desk.update(id, { name: "after" })).body.data.updateApiKey).toMatchObject({
      id,
      name: "after",
    });
    expect((await createdAs("before")).id).not.toBe(id);
    expect(await actionsOn(gateway, id)).toEqual(["api_key_created", "api_key_renamed"]);
  });

  test("renaming a key to its own name changes and writes nothing", async () => {
    const { id } = await createdAs("same");
    expect((await desk.update(id, { name: " same " })).body.data.updateApiKey.name).toBe("same");
    expect(await actionsOn(gateway, id)).toEqual(["api_key_created"]);
  });

  test("a revoked, expired or replaced key cannot be renamed", async () => {
    const [revoked, expired, replaced] = await Promise.all(["r", "e", "p"].map((name) => createdAs(name)));
    await desk.revoke(revoked.id);
    await expire(gateway, expired.id);
    await desk.rotate(replaced.id, 60);
    for (const { id } of [revoked, expired, replaced]) {
      expect(codeOf(await desk.update(id, { name: `${id} later` }))).toBe("conflict");
    }
  });

  test("20 concurrent creations with the same name leave one key", async () => {
    const replies = await Promise.all(Array.from({ length: 20 }, () => desk.create({ name: "race" })));
    expect(replies.map(codeOf).sort()).toEqual([...Array(19).fill("conflict"), undefined]);
    const { nodes } = (await desk.list({ first: 100 })).body.data.apiKeys;
    expect(nodes.filter(({ name }: { name: string }) => name === "race")).toHaveLength(1);
  });

  slowTest("renaming and revoking at the same time never leave a dead key with a reserved name", async () => {
    for (let i = 0; i < 15; i++) {
      const { id } = await createdAs(`old ${i}`);
      await Promise.all([desk.revoke(id), desk.update(id, { name: `new ${i}` })]);
      expect(await rejection(`old ${i}`)).toBeUndefined();
      expect(await rejection(`new ${i}`)).toBeUndefined();
    }
  });
});
