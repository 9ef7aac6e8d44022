// Queues messages in one system after another; see producer.mjs.
import { setTimeout } from "node:timers/promises";

const producers = new Map();

async function producerOf({ module, target }) {
  const key = JSON.stringify([module, target]);
  if (!producers.has(key)) {
    const { openProducer } = await import(new URL(module, import.meta.url));
    producers.set(key, await openProducer(target));
  }
  return producers.get(key);
}

/** Returns a function that creates a message to the next conversation, in turn. */
const messages = (conversations) => {
  let i = 0;
  return () => ({
    conversationId: conversations[i % conversations.length],
    text: `${process.hrtime.bigint()} ${i++}`,
  });
};

async function closeAll() {
  for (const { close } of producers.values()) await close();
  producers.clear();
}

async function produce({ conversations, count, concurrency, perSecond, ...which }) {
  const { add } = await producerOf(which);
  const next = messages(conversations);
  const startedAt = process.hrtime.bigint();
  const startedMs = Date.now();
  if (perSecond === undefined) {
    let left = count;
    const work = async () => {
      while (left-- > 0) await add(next());
    };
    await Promise.all(Array.from({ length: concurrency }, work));
  } else {
    const added = [];
    for (let i = 0; i < count; i++) {
      const wait = startedMs + (i * 1000) / perSecond - Date.now();
      if (wait > 0) await setTimeout(wait);
      added.push(add(next()));
    }
    await Promise.all(added);
  }
  return { startedAt: String(startedAt) };
}

process.on("message", async (task) => {
  try {
    if (task === "close") await closeAll();
    process.send(task === "close" ? {} : await produce(task));
  } catch (error) {
    process.send({ failure: `${task.module}: ${error.stack}` });
  }
});
process.on("disconnect", async () => {
  await closeAll();
  process.exit(0);
});
