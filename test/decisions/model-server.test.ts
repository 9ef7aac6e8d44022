import type { ServerResponse } from "node:http";
import { loadConfig } from "../../src/config";
import { Interrupted, Model } from "../../src/features/decisions/model/model";
import type { Ask } from "../../src/features/decisions/model/proposal";
import { decisionInput } from "../support/configuration";
import { answerWith, completion } from "../support/model";
import { Receiver } from "../support/receiver";

const ASK: Ask = {
  ...{ kind: "ask", ruleId: "ask", error: null, template: "prompt", prompt: "Be kind." },
  ...{ maxLength: 20, tags: ["vip", "new"], handoff: true },
};

const INPUT = { ...decisionInput(), spent: ["once"] };

const NEVER = new AbortController().signal;

describe("a model server", () => {
  let server: Receiver;
  beforeEach(async () => {
    server = await Receiver.start();
  });
  afterEach(() => server.close());

  const model = (options = {}, apiKey: string | undefined = "secret-key") =>
    new Model({ url: `${server.url()}v1`, name: "small", apiKey }, options);
  const answering = (body: string, status = 200) => {
    server.reaction = (response) =>
      response.writeHead(status, { "content-type": "application/json" }).end(body);
  };
  const saying = (content: unknown) => {
    server.reaction = (response) => answerWith(response, content);
  };

  test("is queried below its URL, whose query is kept", async () => {
    saying({ text: null, tags: [], handoff: false });
    const ask = new Model({ url: `${server.url()}v1/?api-version=1`, name: "small", apiKey: undefined });
    await ask.answer(ASK, INPUT, NEVER);
    const { url, headers } = server.onlyRequest();
    expect([url, headers.authorization]).toEqual(["/v1/chat/completions?api-version=1", undefined]);
  });

  test("gets one request with the instructions, the data and the format of the answer", async () => {
    saying({ text: "It is on its way.", tags: ["vip", "vip"], handoff: false });
    expect(await model().answer(ASK, INPUT, NEVER)).toMatchObject({
      proposal: { text: "It is on its way.", tags: ["vip"], handoff: false },
    });
    const { url, headers, body } = server.onlyRequest();
    expect([url, headers.authorization]).toEqual(["/v1/chat/completions", "Bearer secret-key"]);
    const { messages, ...request } = JSON.parse(body);
    expect(request).toEqual({
      model: "small",
      stream: false,
      response_format: {
        type: "json_schema",
        json_schema: {
          name: "decision",
          strict: true,
          schema: {
            type: "object",
            properties: {
              text: { type: ["string", "null"] },
              tags: { type: "array", items: { type: "string", enum: ["vip", "new"] } },
              handoff: { type: "boolean" },
            },
            required: ["text", "tags", "handoff"],
            additionalProperties: false,
          },
        },
      },
    });
    const [system, user] = messages;
    expect(messages).toMatchObject([{ role: "system" }, { role: "user" }]);
    expect(system.content).toContain("Instructions:\nBe kind.");
    expect(system.content).toContain("at most 20 characters");
    const { spent: _, ...data } = INPUT;
    expect(user.content).toBe(`<data>${JSON.stringify(data)}</data>`);
  });

  test("is offered only what the rule allows, and no key unless there is one", async () => {
    saying({ text: null });
    const asked = { ...ASK, maxLength: null, tags: [], handoff: false };
    const silent = { proposal: { text: null, tags: [], handoff: false } };
    expect(
      await new Model({ url: server.url(), name: "small", apiKey: undefined }).answer(asked, INPUT, NEVER),
    ).toMatchObject(silent);
    const { headers, body } = server.onlyRequest();
    expect(headers).not.toHaveProperty("authorization");
    const { response_format, messages } = JSON.parse(body);
    expect(Object.keys(response_format.json_schema.schema.properties)).toEqual(["text"]);
    expect(messages[0].content).toContain("at most 10000 characters");
    expect(messages[0].content).not.toMatch(/handoff|"tags"/);
  });

  test.each<[string, unknown]>([
    ["no JSON", "Sure! {"],
    ["a list", []],
    ["no text", { tags: [], handoff: false }],
    ["a number as text", { text: 1, tags: [], handoff: false }],
    ["an empty text", { text: " ", tags: [], handoff: false }],
    ["a text that is too long", { text: "x".repeat(21), tags: [], handoff: false }],
    ["a text with NUL", { text: "a\0", tags: [], handoff: false }],
    ["half a surrogate pair", '{"text":"\\ud800","tags":[],"handoff":false}'],
    ["a tag that is not listed", { text: null, tags: ["vip", "admin"], handoff: false }],
    ["an unknown member", { text: null, tags: [], handoff: false, move: "other" }],
    ["a handoff that is not a boolean", { text: null, tags: [], handoff: "yes" }],
  ])("that proposes %s gives an invalid answer", async (_, content) => {
    saying(content);
    expect(await model().answer(ASK, INPUT, NEVER)).toMatchObject({ error: { code: "model_invalid" } });
  });

  test("cannot hand off where the rule does not allow it", async () => {
    saying({ text: null, handoff: true });
    const answer = await model().answer({ ...ASK, tags: [], handoff: false }, INPUT, NEVER);
    expect(answer).toMatchObject({ error: { code: "model_invalid" } });
  });

  test("may write as many code points as the rule allows", async () => {
    const text = "🐦".repeat(20);
    saying({ text, tags: [], handoff: false });
    expect(await model().answer(ASK, INPUT, NEVER)).toMatchObject({ proposal: { text } });
  });

  test.each<[unknown, number | null, number | null]>([
    [{ prompt_tokens: 7, completion_tokens: 0 }, 7, 0],
    [{ prompt_tokens: -1, completion_tokens: 1e12 }, null, null],
    [{ prompt_tokens: "7", completion_tokens: 1.5 }, null, null],
    ["many", null, null],
    [null, null, null],
  ])("that counts tokens as %j has only valid counts shown", async (usage, input, output) => {
    answering(JSON.stringify({ ...JSON.parse(completion({ text: null, tags: [], handoff: false })), usage }));
    expect((await model().answer(ASK, INPUT, NEVER)).request).toMatchObject({
      inputTokens: input,
      outputTokens: output,
    });
  });

  const json = (response: ServerResponse) => response.setHeader("content-type", "application/json");
  const late = (response: ServerResponse) => response.writeHead(200, { "content-length": "100" }).write("{");
  test.each<[string, (response: ServerResponse) => unknown, string, number?]>([
    ["answers 500", (response) => response.writeHead(500).end("secret-key"), "model_failed", 2],
    ["answers 429", (response) => response.writeHead(429, { "retry-after": "60" }).end(), "model_failed", 2],
    [
      "rejects the key",
      (response) => response.writeHead(401).end('{"error":{"message":"secret-key"}}'),
      "model_failed",
    ],
    ["redirects", (response) => response.writeHead(307, { location: "/elsewhere" }).end(), "model_failed"],
    ["answers nothing", (response) => response.writeHead(204).end(), "model_invalid"],
    ["sends garbage", (response) => response.end(Buffer.from([0xff, 0, 0xfe, 0x80])), "model_invalid"],
    [
      "sends garbage as JSON",
      (response) => json(response).end(Buffer.from([0xff, 0, 0xfe])),
      "model_invalid",
    ],
    ["has no choices", (response) => json(response).end("{}"), "model_invalid"],
    ["speaks another protocol", (response) => response.socket?.end("SSH-2.0-x\r\n"), "model_failed", 2],
    ["hangs up", (response) => response.destroy(), "model_failed", 2],
    [
      "hangs up in the middle",
      (response) => {
        late(response);
        setImmediate(() => response.destroy());
      },
      "model_failed",
      2,
    ],
    ["sends 5 MB", (response) => response.end(completion({ text: "x".repeat(5_000_000) })), "model_invalid"],
    ["is silent", () => undefined, "model_timeout"],
    ["stops in the middle", late, "model_timeout"],
  ])("that %s makes no decision", async (_, react, code, attempts = 1) => {
    server.reaction = react;
    const timeoutMs = code === "model_timeout" ? 500 : 20_000;
    const answer = await model({ timeoutMs }).answer(ASK, INPUT, NEVER);
    expect(answer).toEqual({
      error: { code, message: expect.any(String) },
      request: expect.objectContaining({ name: expect.any(String), durationMs: expect.any(Number) }),
    });
    expect(JSON.stringify(answer)).not.toContain("secret-key");
    expect(server.received).toHaveLength(attempts);
  });

  test.each<[string, (response: ServerResponse) => unknown]>([
    ["is overloaded", (response) => response.writeHead(429).end()],
    ["hangs up", (response) => response.destroy()],
  ])("that %s is asked again", async (_, react) => {
    server.reaction = (response) => {
      saying({ text: "It is on its way.", tags: [], handoff: false });
      react(response);
    };
    expect(await model().answer(ASK, INPUT, NEVER)).toMatchObject({
      proposal: { text: "It is on its way." },
    });
  });

  const SAID = { text: "On its way.", tags: ["vip"], handoff: false };
  const SAID_JSON = JSON.stringify(SAID);
  const textPart = (text: string) => ({ type: "text", text });
  const choice = (message: object, more: object = {}) =>
    JSON.stringify({ choices: [{ index: 0, finish_reason: "stop", message }], ...more });

  test.each<[string, string]>([
    ["like vLLM, with reasoning", choice({ content: SAID_JSON, reasoning_content: "{}", tool_calls: [] })],
    [
      "like llama.cpp, with its thoughts",
      choice(
        { content: `<think>\n{"text": null}\n</think>\n\n\`\`\`json\n${SAID_JSON}\n\`\`\`` },
        { timings: {} },
      ),
    ],
    [
      "in parts",
      choice({
        content: [{ type: "thinking" }, null, ...[SAID_JSON.slice(0, 9), SAID_JSON.slice(9)].map(textPart)],
      }),
    ],
    ["after blank lines", `\n\n   ${choice({ content: SAID_JSON })}`],
  ])("is understood if it answers %s", async (_, body) => {
    server.reaction = (response) => response.setHeader("content-type", "text/plain").end(body);
    expect(await model().answer(ASK, INPUT, NEVER)).toMatchObject({ proposal: SAID });
    expect(server.received).toHaveLength(1);
  });

  test.each<[string, string, string, number]>([
    [
      "calls a tool",
      choice({ content: null, tool_calls: [{ function: { arguments: SAID_JSON } }] }),
      "model_invalid",
      1,
    ],
    ["reports an error", '{"error":{"message":"Overloaded","code":429}}', "model_failed", 2],
    [
      "reports an error of its provider",
      choice({ content: "" }).replace('{"index', '{"error":{"code":"x"},"index'),
      "model_failed",
      2,
    ],
    ["reports that the key is wrong", '{"error":{"message":"No","code":401}}', "model_failed", 1],
    ["only thinks", choice({ content: `<think>${SAID_JSON}` }), "model_invalid", 1],
  ])("makes no decision if, with the status 200, it %s", async (_, body, code, attempts) => {
    answering(body);
    expect(await model().answer(ASK, INPUT, NEVER)).toMatchObject({ error: { code } });
    expect(server.received).toHaveLength(attempts);
  });

  test("that does not support JSON schemas is asked without one afterwards", async () => {
    server.reaction = (response) =>
      server.received.at(-1)?.body.includes("response_format")
        ? response.writeHead(400).end('{"error":{"message":"This response_format type is unavailable now"}}')
        : response.end(completion(SAID));
    const asked = model();
    for (const requests of [2, 3]) {
      expect(await asked.answer(ASK, INPUT, NEVER)).toMatchObject({ proposal: SAID });
      expect(server.received).toHaveLength(requests);
    }
  });

  test("may put its answer in a code block", async () => {
    const answer = JSON.stringify({ text: "It is on its way.", tags: [], handoff: false }, null, 2);
    for (const fence of ["```", "```json"]) {
      saying(`${fence}\n${answer}\n\`\`\`\n`);
      expect(await model().answer(ASK, INPUT, NEVER)).toMatchObject({
        proposal: { text: "It is on its way." },
      });
    }
  });

  test("that is unreachable makes no decision either", async () => {
    const away = await Receiver.start();
    const url = away.url();
    await away.close();
    const answer = await new Model({ url, name: "small", apiKey: undefined }).answer(ASK, INPUT, NEVER);
    expect(answer).toMatchObject({ error: { code: "model_failed" } });
  });

  test("is not waited for while the process stops", async () => {
    const stop = new AbortController();
    server.reaction = () => stop.abort();
    await expect(model().answer(ASK, INPUT, stop.signal)).rejects.toThrow(Interrupted);
  });
});

test.each([
  [{ MODEL_URL: "http://127.0.0.1:1/v1" }, "MODEL_URL and MODEL_NAME must be set together"],
  [{ MODEL_NAME: "small" }, "MODEL_URL and MODEL_NAME must be set together"],
  [{ MODEL_URL: "ftp://x", MODEL_NAME: "small" }, "MODEL_URL must be an http or https URL"],
  [
    { MODEL_URL: "https://user:pass@x", MODEL_NAME: "small" },
    "MODEL_URL must not contain a user name or password",
  ],
  [{ MODEL_URL: "https://x", MODEL_NAME: "a b" }, "MODEL_NAME must have 1 to 200"],
  [{ MODEL_CONCURRENCY: "8" }, "MODEL_CONCURRENCY must be less than DELIVERY_WORKERS"],
  [{ MODEL_API_KEY: "a secret" }, "MODEL_API_KEY must have 1 to 1000"],
])("the settings %j are rejected", (env, message) => {
  const load = () => loadConfig(env);
  expect(load).toThrow(message);
  expect(load).not.toThrow("secret");
});
