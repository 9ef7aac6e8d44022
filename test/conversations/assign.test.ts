import { Permission } from "../../src/auth/permissions";
import { AuditEntry } from "../../src/features/audit/audit-entry.entity";
import { Conversation } from "../../src/features/conversations/conversation.entity";
import { Event } from "../../src/features/events/event.entity";
import { contactClient } from "../support/contacts";
import { addConversation, conversationClient } from "../support/conversations";
import { testOnAny } from "../support/engines";
import { operator } from "../support/gateway";
import { addMember, addOrganization, codeOf, firstAgentId, type TestMember } from "../support/people";
import { describeGateway } from "../support/suite";
import { cases } from "../support/tiers";

const ROUNDS = cases(10);

const permissions = [Permission.conversations_read, Permission.conversations_write];

describeGateway((gateway, engine) => {
  const anyTest = testOnAny(engine);
  let agentId: string;
  let anna: TestMember;
  let ben: TestMember;
  beforeAll(async () => {
    agentId = await firstAgentId(gateway);
    anna = await addMember(gateway, { permissions });
    ben = await addMember(gateway, { permissions });
  });

  const newConversation = () => addConversation(gateway, { agentId });
  const assign = (id: string, memberId: string | null, token = gateway.key) =>
    gateway.graphql(
      `mutation ($id: ID!, $memberId: ID) {
         assignConversation(input: { id: $id, memberId: $memberId }) { assigneeId version updatedAt }
       }`,
      { id, memberId },
      { token },
    );
  const conversationOf = (id: string) => gateway.rows.findOneByOrFail(Conversation, { id });

  anyTest(
    "a conversation is assigned, reassigned and unassigned, and each change is recorded once",
    async () => {
      const { id, contactId } = await newConversation();
      const before = await conversationOf(id);
      for (const [member, token] of [
        [anna, anna.token],
        [anna, gateway.key],
        [ben, gateway.key],
        [null, ben.token],
        [null, ben.token],
      ] as const) {
        const { body } = await assign(id, member?.id ?? null, token);
        expect(body.data.assignConversation).toEqual({
          assigneeId: member?.id ?? null,
          version: before.version,
          updatedAt: before.updatedAt,
        });
      }
      const { database } = gateway.services;
      const entries = await database.read((reader) =>
        reader.find(AuditEntry, { where: { targetId: id }, order: { id: "ASC" } }),
      );
      const emails = [null, anna.email, ben.email, null];
      expect(entries.map(({ action, changes, actorId }) => [action, changes, actorId])).toEqual(
        [anna.id, expect.any(String), ben.id].map((actor, i) => [
          "conversation_assigned",
          [{ field: "assignee", before: emails[i], after: emails[i + 1] }],
          actor,
        ]),
      );
      const events = await database.read((reader) =>
        reader.find(Event, { where: { agentId, type: "conversation.assigned" }, order: { position: "ASC" } }),
      );
      expect(events.map(({ data }) => [data.id, data.contactId, data.assigneeId])).toEqual(
        [anna.id, ben.id, null].map((assigneeId) => [id, contactId, assigneeId]),
      );
    },
  );

  anyTest("the assignee stays through other changes, in REST and in the export of the contact", async () => {
    const { id, contactId } = await newConversation();
    const assigned = await gateway.rest("POST", `/agent/conversations/${id}/assign`, {
      body: { memberId: anna.id },
    });
    expect([assigned.status, assigned.body.assigneeId]).toEqual([200, anna.id]);
    const api = conversationClient(gateway);
    for (const change of [api.handOff, api.release, api.close]) await change(id);
    expect((await gateway.rest("GET", `/agent/conversations/${id}`)).body).toMatchObject({
      assigneeId: anna.id,
      state: "closed",
    });
    expect((await gateway.rest("GET", `/agent/contacts/${contactId}/export`)).text).toContain(anna.id);
    const freed = await gateway.rest("POST", `/agent/conversations/${id}/assign`, { body: {} });
    expect(freed.body.assigneeId).toBeUndefined();
    await contactClient(gateway).erase(contactId);
    expect((await assign(id, ben.id)).body.data.assignConversation.assigneeId).toBe(ben.id);
  });

  anyTest("the conversations of one member are listed, in order of opening or activity", async () => {
    const carl = await addMember(gateway, { permissions });
    const ids = [await newConversation(), await newConversation()].map(({ id }) => id);
    for (const id of ids) await assign(id, carl.id);
    const { id: free } = await newConversation();
    const list = async (filter: string) => {
      const { body } = await gateway.graphql(`{ conversations(${filter}) { totalCount nodes { id } } }`);
      return body.data.conversations.nodes.map(({ id }: { id: string }) => id);
    };
    expect(await list(`assigneeId: "${carl.id}"`)).toEqual(ids);
    expect(await list(`assigneeId: "${carl.id}", order: last_activity_first`)).toEqual([...ids].reverse());
    expect(await list(`assigneeId: "${carl.id}", state: closed`)).toEqual([]);
    for (const nobody of ["nobody", anna.id.replace(/.$/, "\\u0000")])
      expect(await list(`assigneeId: "${nobody}"`)).toEqual([]);
    expect(await list(`assigneeId: "${carl.id}", assigned: true`)).toEqual(ids);
    expect(await list(`assigneeId: "${carl.id}", assigned: false`)).toEqual([]);
    const assigned = await list("assigned: true, first: 100");
    expect(assigned).toEqual(expect.arrayContaining(ids));
    const unassigned = await list("assigned: false, first: 100");
    expect(unassigned).toContain(free);
    expect([...assigned, ...unassigned].sort()).toEqual(
      [...(await list("assigned: null, first: 100"))].sort(),
    );
    expect(assigned.filter((id: string) => unassigned.includes(id))).toEqual([]);
    const rest = async (filter: string) => {
      const { body } = await gateway.rest("GET", `/agent/conversations?${filter}`);
      return body.map(({ id }: { id: string }) => id);
    };
    expect(await rest(`assigneeId=${carl.id}`)).toEqual(ids);
    expect(await rest("assigned=false&limit=100")).toEqual(unassigned);
  });

  anyTest("conversations are assigned only to members of their organization", async () => {
    const { id } = await newConversation();
    const { manager } = await addOrganization(gateway, "others");
    for (const memberId of [manager.id, agentId, "nobody", "\0", "x".repeat(10_000)]) {
      const reply = await assign(id, memberId);
      expect([codeOf(reply), reply.body.errors[0].message]).toEqual([
        "not_found",
        "The member does not exist.",
      ]);
    }
    const stranger = await addMember(gateway, { org: "others", permissions });
    expect(codeOf(await assign(id, stranger.id, stranger.token))).toBe("not_found");
    const reader = await addMember(gateway, { permissions: [Permission.conversations_read] });
    expect(codeOf(await assign(id, reader.id, reader.token))).toBe("forbidden");
    expect((await conversationOf(id)).assigneeId).toBeNull();
  });

  test("members who assign to each other at the same time wait for each other in turn", async () => {
    const ids = [await newConversation(), await newConversation()].map(({ id }) => id);
    for (let round = 0; round < ROUNDS; round++) {
      const replies = await Promise.all([
        assign(ids[0] as string, ben.id, anna.token),
        assign(ids[1] as string, anna.id, ben.token),
        assign(ids[round % 2] as string, null),
      ]);
      expect(replies.map(codeOf)).toEqual([undefined, undefined, undefined]);
    }
  });

  test("the removal of a member clears the assignments, whatever is assigned at the same time", async () => {
    const context = await operator(gateway);
    for (let round = 0; round < ROUNDS; round++) {
      const leaving = await addMember(gateway, { permissions });
      const [first, second, third] = [
        await newConversation(),
        await newConversation(),
        await newConversation(),
      ];
      await assign(first.id, leaving.id);
      const [, ...replies] = await Promise.all([
        gateway.services.members.remove(context, leaving.id),
        assign(second.id, leaving.id),
        assign(third.id, leaving.id, leaving.token),
        assign(first.id, anna.id),
      ]);
      expect([undefined, "not_found"]).toContain(codeOf(replies[0]));
      expect([undefined, "not_found", "invalid_session"]).toContain(codeOf(replies[1]));
      expect(codeOf(replies[2])).toBeUndefined();
      const after = await Promise.all([first, second, third].map(({ id }) => conversationOf(id)));
      expect(after.map(({ assigneeId }) => assigneeId)).toEqual([anna.id, null, null]);
    }
  });
});
