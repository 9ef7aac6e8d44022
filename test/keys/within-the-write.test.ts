import type { RequestContext } from "../../src/auth/context";
import { timestamp } from "../../src/common/time";
import { Message } from "../../src/features/messages/message.entity";
import { Pet } from "../../src/features/pets/pet.entity";
import { mint, operator } from "../support/gateway";
import { addMember, addOrganization, firstAgentId } from "../support/people";
import { describeGateway } from "../support/suite";

const ORIGIN = { ip: null, userAgent: null, requestId: null };

describeGateway((gateway) => {
  /** Returns the context of a request that has just been accepted. */
  const acceptedKey = async (secret: string): Promise<RequestContext> => ({
    caller: await gateway.services.acceptedKeys.resolve(secret, ORIGIN),
    origin: ORIGIN,
  });
  const acceptedMember = async (token: string): Promise<RequestContext> => ({
    caller: await gateway.services.sessions.resolve(token, ORIGIN),
    origin: ORIGIN,
  });
  const send = (context: RequestContext, idempotencyKey?: string) =>
    gateway.services.messageQueue.send(context, { text: "hello", idempotencyKey });
  const addPet = (context: RequestContext, idempotencyKey?: string) =>
    gateway.services.pets.create(context, { name: "Rex", categoryId: "1", status: null, idempotencyKey });
  const rows = () =>
    gateway.services.database.read(
      async (reader) => (await reader.count(Message)) + (await reader.count(Pet)),
    );

  test("a write that a key has started is rejected if the key is dead at the commit", async () => {
    await addOrganization(gateway, "ending");
    const [revoked, rotated, expired, orphan] = await Promise.all([
      mint(gateway),
      mint(gateway),
      mint(gateway),
      mint(gateway, { agent: "ending-agent" }),
    ]);
    const keys = [revoked, rotated, expired, orphan];
    const contexts = await Promise.all(keys.map(({ secret }) => acceptedKey(secret)));
    const context = await operator(gateway);
    await gateway.services.keys.revoke(context, revoked.id);
    await gateway.services.keys.rotate(context, { id: rotated.id, graceSeconds: 0 });
    await gateway.services.database.write((tx) =>
      tx.query("update api_key set expires_at = $1 where id = $2", [timestamp(-1), expired.id]),
    );
    await gateway.services.organizations.deactivate(await operator(gateway, "ending"));
    const before = await rows();
    const codes = ["key_revoked", "key_revoked", "key_expired", "key_not_resolvable"];
    for (const [i, accepted] of contexts.entries()) {
      const writes = [send(accepted), send(accepted, "one"), addPet(accepted), addPet(accepted, "two")];
      for (const write of writes) await expect(write).rejects.toMatchObject({ code: codes[i] });
    }
    expect(await rows()).toBe(before);
  });

  test.each([
    ["messages", send],
    ["pets", addPet],
  ])("a dead key affects none of the %s that share its commit", async (_, write) => {
    const [dead, alive] = await Promise.all([mint(gateway), mint(gateway)]);
    const [deadCaller, caller] = await Promise.all([acceptedKey(dead.secret), acceptedKey(alive.secret)]);
    await gateway.services.keys.revoke(await operator(gateway), dead.id);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, (_, i) => write(i === 7 ? deadCaller : caller)),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(
      outcomes.map((_, i) => (i === 7 ? "rejected" : "fulfilled")),
    );
  });

  test("after the response to a revocation, the key writes nothing more, whatever it has started", async () => {
    const context = await operator(gateway);
    for (let round = 0; round < 5; round++) {
      const { id, secret } = await mint(gateway);
      const caller = await acceptedKey(secret);
      const writes = Array.from({ length: 30 }, (_, i) => (i % 2 === 0 ? send(caller) : addPet(caller)));
      const settled = Promise.allSettled(writes);
      const later = gateway.services.keys.revoke(context, id).then(async () => {
        const late = Array.from({ length: 10 }, (_, i) => (i % 2 === 0 ? send(caller) : addPet(caller)));
        const atTheAnswer = await rows();
        return { atTheAnswer, late: await Promise.allSettled(late) };
      });
      const { atTheAnswer, late } = await later;
      await settled;
      expect(await rows()).toBe(atTheAnswer);
      expect(late.map(({ status }) => status)).toEqual(late.map(() => "rejected"));
    }
  });

  test("a write that a member has started is rejected after the session or the permission has ended", async () => {
    const { keys, members, sessions, organizations } = gateway.services;
    const agentId = await firstAgentId(gateway);
    const target = await mint(gateway);
    const boss = await operator(gateway);
    const actions: [string, (context: RequestContext) => Promise<unknown>][] = [
      ["mint", (context) => keys.create(context, { agentId, name: `k ${Math.random()}` } as never)],
      ["rename", (context) => keys.update(context, { id: target.id, name: `r ${Math.random()}` })],
      ["rotate", (context) => keys.rotate(context, { id: target.id, graceSeconds: 0 })],
      ["revoke", (context) => keys.revoke(context, target.id)],
      ["deactivate", (context) => organizations.deactivate(context)],
    ];
    for (const [what, act] of actions) {
      const demoted = await addMember(gateway, { manage: true });
      const gone = await addMember(gateway, { manage: true });
      const [first, second] = [await acceptedMember(demoted.token), await acceptedMember(gone.token)];
      await members.revokeAllPermissions(boss, demoted.id);
      await sessions.signOutEverywhere(await acceptedMember(gone.token));
      await expect(act(first).then(() => what)).rejects.toMatchObject({ code: "forbidden" });
      await expect(act(second).then(() => what)).rejects.toMatchObject({ code: "invalid_session" });
    }
    expect((await keys.find(boss, target.id))?.state).toBe("active");
  });
});
