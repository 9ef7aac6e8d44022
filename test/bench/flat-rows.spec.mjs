import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { sqliteStore } from "./data.mjs";
import { compareRows, makeConversations } from "./sections/flat-rows.mjs";

test("every operation on contacts, conversations and messages runs against the program", async () => {
  const directory = await mkdtemp(join(tmpdir(), "gateway-flat-"));
  try {
    const small = await makeConversations(sqliteStore(directory), { name: "small", count: 40 });
    const rows = await compareRows({
      urls: { small, large: small },
      options: { rounds: 1, quick: true },
      say: () => undefined,
    });
    for (const { title, large } of rows) assert.ok(large.median.cpu > 0, title);
    assert.ok(rows.length >= 8);
  } finally {
    await rm(directory, { recursive: true });
  }
});
