import { Message } from "../../src/features/messages/message.entity";
import { HeldReason } from "../../src/features/messages/message.enums";
import { addConversation } from "../support/conversations";
import { addAgent, firstAgentId } from "../support/people";
import { type Ended, runCli, runCliForJson, testFailingCommands } from "../support/process";
import { describeGateway } from "../support/suite";

describeGateway({ engine: "one" }, (gateway) => {
  const cli = (...args: string[]): Promise<Ended> => runCli(gateway.databaseUrl, ["messages", ...args]);
  const json = (...args: string[]) => runCliForJson(gateway.databaseUrl, "messages", ...args);
  const send = async (message: string, token = gateway.key): Promise<string> =>
    (await gateway.rest("POST", "/messages", { body: { message }, token })).body.id;
  const update = (id: string, change: Partial<Message>) => gateway.rows.update(Message, { id }, change);

  test("messages are listed with the reason that holds them back, page by page, and canceled", async () => {
    const texts = ["first", "second", "third", "fourth"];
    const ids: string[] = [];
    for (const text of texts) ids.push(await send(text));
    await update(ids[0] as string, { heldReason: HeldReason.line_paused });
    const all = await json("list", "--agent", "first-agent");
    expect(all.map(({ id, message }: { id: string; message: string }) => [id, message])).toEqual(
      ids.map((id, i) => [id, texts[i]]),
    );
    expect(all[0]).toMatchObject({
      status: "queued",
      heldReason: "line_paused",
      errorCode: null,
      author: "api",
    });
    expect(await json("cancel", ...ids.slice(0, 2))).toMatchObject([
      { id: ids[0], status: "canceled", errorCode: "canceled", heldReason: null },
      { id: ids[1], status: "canceled" },
    ]);
    const queued = await json("list", "--agent", "first-agent", "--status", "queued");
    expect(queued.map(({ id }: Message) => id)).toEqual(ids.slice(2));
    const page = await cli("list", "--agent", "first-agent", "--limit", "3");
    expect(page.stdout).toMatch(/^CREATED AT +STATUS +HELD REASON +NOT BEFORE +ATTEMPTS +ERROR CODE/);
    expect(page.stdout).toContain("third");
    expect(page.stdout).not.toContain("fourth");
    const [, cursor = ""] = /Add --after (\S+) for the next 3, or --all/.exec(page.stderr) ?? [];
    const rest = await json("list", "--agent", "first-agent", "--after", cursor);
    expect(rest.map(({ message }: { message: string }) => message)).toEqual(["fourth"]);
    expect(await json("list", "--agent", "first-agent", "--limit", "1", "--all")).toHaveLength(4);
  });

  test("a long text is cut in the table, not in JSON, and controls no terminal", async () => {
    const text = `\u001b[2J${"😀".repeat(60)}`;
    await send(text);
    const { stdout } = await cli("list", "--agent", "first-agent", "--status", "queued");
    expect(stdout).toContain(`?[2J${"😀".repeat(35)}…`);
    expect(stdout).not.toContain("\u001b");
    const listed = await json("list", "--agent", "first-agent", "--status", "queued");
    expect(listed.at(-1).message).toBe(text);
  });

  test("cancel cancels the messages that it can and names the others", async () => {
    const [first, second] = [await send("first"), await send("second")];
    await json("cancel", first);
    const unknown = "01a1fcd2-0000-7000-8000-00000000ffff";
    const { code, stdout, stderr } = await cli("cancel", first, unknown, "x", second);
    expect({ code, stdout }).toEqual({ code: 1, stdout: `${second} was canceled.\n` });
    expect(stderr).toMatch(/^gateway: [^\n]+\n$/);
    for (const id of [first, unknown, "x"]) expect(stderr).toContain(`${id}: The`);
    expect(stderr).toContain("is canceled");
  });

  test("messages in conversations can also be canceled", async () => {
    const { id } = await addConversation(gateway, { agentId: await firstAgentId(gateway) });
    const path = `/agent/conversations/${id}/messages`;
    const sent = await gateway.rest("POST", path, { body: { message: "Hello" } });
    expect(await json("cancel", sent.body.id)).toMatchObject([
      { status: "canceled", conversationId: id, sequence: 1 },
    ]);
  });

  test("release releases imported messages of an agent, or of all agents in all organizations", async () => {
    await gateway.services.organizations.create({ slug: "other", name: "Other" });
    const [same, elsewhere] = [
      await addAgent(gateway, "same"),
      await addAgent(gateway, "elsewhere", "other"),
    ];
    for (const token of [gateway.key, same.token, elsewhere.token])
      for (const text of ["one", "two"])
        await update(await send(text, token), { heldReason: HeldReason.imported });
    await gateway.rows.execute("DELETE FROM lane");
    expect(await json("release", "--agent", "same")).toEqual({ released: 2 });
    expect((await cli("release", "--all")).stdout).toBe("Released 4 messages.\n");
    expect(await json("release", "--all")).toEqual({ released: 0 });
    const [message] = await json("list", "--agent", "elsewhere");
    expect(message).toMatchObject({ status: "queued", heldReason: null, message: "one" });
  });

  testFailingCommands(cli, [
    [2, ["list"], "--agent"],
    [1, ["list", "--agent", "unknown"], 'There is no agent "unknown".'],
    [2, ["list", "--agent", "first-agent", "--status", "lost"], "--status"],
    [2, ["list", "--agent", "first-agent", "--limit", "101"], "--limit"],
    [2, ["list", "--agent", "first-agent", "--after", "x"], "cursor"],
    [2, ["cancel"], "id"],
    [2, ["release"], "--agent <slug> or --all is required"],
    [2, ["release", "--agent", "first-agent", "--all"], "cannot be used with"],
  ]);
});
