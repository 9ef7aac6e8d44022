import type { ServerResponse } from "node:http";

/** Returns the response of a model server with this content. */
export const completion = (content: unknown): string =>
  JSON.stringify({
    id: "completion-1",
    object: "chat.completion",
    choices: [
      {
        index: 0,
        finish_reason: "stop",
        message: {
          role: "assistant",
          content: typeof content === "string" ? content : JSON.stringify(content),
        },
      },
    ],
    usage: { prompt_tokens: 120, completion_tokens: 30, total_tokens: 150 },
  });

/** Answers a request to a model server with this content. */
export const answerWith = (response: ServerResponse | undefined, content: unknown): unknown =>
  response?.setHeader("content-type", "application/json").end(completion(content));

/** Default responses of servers with this content, by server. */
export const PROTOCOLS: Readonly<Record<string, (content: unknown) => string>> = {
  vLLM: (content) => {
    const { choices, ...more } = JSON.parse(completion(content));
    const [{ message, ...choice }] = choices;
    const added = { reasoning_content: "Let me see.", tool_calls: [], refusal: null };
    return JSON.stringify({
      choices: [{ ...choice, message: { ...message, ...added }, logprobs: null }],
      ...more,
    });
  },
  // With a reasoning model, and without token counts.
  "llama.cpp": (content) => {
    const { choices, object } = JSON.parse(completion(content));
    const answer = `<think>\nLet me see.\n</think>\n\n\`\`\`json\n${choices[0].message.content}\n\`\`\``;
    const message = { role: "assistant", content: answer };
    return JSON.stringify({ object, choices: [{ index: 0, finish_reason: "stop", message }], timings: {} });
  },
};
