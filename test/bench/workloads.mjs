import { randomUUID } from "node:crypto";
import { SITUATION } from "./decisions/rules.mjs";
import { pick } from "./random.mjs";

const LIST = 20;
/** Number of contacts per agent in the section `decisions`. */
export const CONTACTS = 100;
const STATUSES = ["available", "pending", "sold"];

const anyPet = (random, { pets }) => 1 + Math.floor(random() * pets);
const anyCursor = (random, { pets }) => 1 + Math.floor(random() * (pets - 100));
const aPet = (random) => ({
  name: `Rex ${Math.floor(random() * 1e6)}`,
  categoryId: 1 + Math.floor(random() * 10),
  status: pick(random, STATUSES),
});

const draw = {
  list: () => ({ kind: "list", limit: LIST }),
  pages: (random, data) => ({ kind: "list", limit: LIST, after: anyCursor(random, data) }),
  lastPage: (_random, { pets }) => ({ kind: "list", limit: LIST, after: pets - LIST - 1 }),
  /** With literal arguments in the document. */
  literals: (random, data) => ({ ...draw.pages(random, data), noise: "" }),
  /** With literal arguments and with names that no other document uses. */
  unseen: (random, data) => ({ ...draw.pages(random, data), noise: Math.floor(random() * 1e15) }),
  pet: (random, data) => ({ kind: "pet", id: anyPet(random, data) }),
  whoami: () => ({ kind: "whoami" }),
  create: (random) => ({ kind: "create", pet: aPet(random) }),
  /** The idempotency key is not part of the draw, because other turns repeat the draw. */
  keyed: (random) => ({ ...draw.create(random), idempotencyKey: randomUUID() }),
  send: () => ({ kind: "send" }),
  decide: (random) => ({ kind: "decide", situation: SITUATION, contact: Math.floor(random() * CONTACTS) }),
  /**
   * 10% writes; half of the reads are lists, all different, three tenths are single pets, and two tenths are whoami.
   */
  mixed(random, data) {
    if (random() < 0.1) return draw.create(random);
    const which = random();
    if (which < 0.3) return draw.pet(random, data);
    if (which < 0.5) return draw.whoami();
    return {
      kind: "list",
      limit: pick(random, [5, 10, 20, 50]),
      after: random() < 0.1 ? undefined : anyCursor(random, data),
      status: pick(random, [undefined, undefined, ...STATUSES]),
    };
  },
};

/**
 * The workloads: the API and a function that draws the next operation. `fresh` operations are drawn for every request;
 * the others are taken from a long list that is drawn and encoded in advance. Every request has a random key. `beside`
 * workloads belong to a section; `alone` workloads are supported only by the product. Results keep this order: first
 * requests that differ between callers, last requests that are the same for all.
 */
export const WORKLOADS = {
  "rest-pages": { title: "REST, 20 pets from anywhere", api: "rest", draw: draw.pages },
  "rest-mixed": { title: "REST, 90% reads, 10% writes", api: "rest", draw: draw.mixed },
  "rest-pet": { title: "REST, one pet by id", api: "rest", draw: draw.pet },
  "rest-whoami": { title: "REST, whoami", api: "rest", draw: draw.whoami },
  "rest-create": { title: "REST, create a pet, durable", api: "rest", draw: draw.create },
  "rest-create-keyed": {
    title: "REST, create a pet with an Idempotency-Key, durable",
    api: "rest",
    draw: draw.keyed,
    fresh: true,
    alone: true,
  },
  "rest-last-page": { title: "REST, last 20 pets", api: "rest", draw: draw.lastPage, beside: true },
  "rest-send": { title: "REST, queue a message, durable", api: "rest", draw: draw.send, beside: true },
  "rest-decide": { title: "REST, decide", api: "rest", draw: draw.decide, beside: true },
  "rest-dry-run": {
    title: "REST, dry run of a decision",
    api: "rest",
    draw: (random) => ({ ...draw.decide(random), dryRun: true }),
    beside: true,
  },
  "graphql-pages": { title: "GraphQL, 20 pets from anywhere", api: "graphql", draw: draw.pages },
  "graphql-mixed": { title: "GraphQL, 90% reads, 10% writes", api: "graphql", draw: draw.mixed },
  "graphql-pet": { title: "GraphQL, one pet by id", api: "graphql", draw: draw.pet },
  "graphql-whoami": { title: "GraphQL, whoami", api: "graphql", draw: draw.whoami },
  "graphql-create": { title: "GraphQL, create a pet, durable", api: "graphql", draw: draw.create },
  "graphql-literals": {
    title: "GraphQL, 20 pets, new literals each time",
    api: "graphql",
    draw: draw.literals,
    fresh: true,
  },
  "graphql-unseen": {
    title: "GraphQL, 20 pets, new names and literals each time",
    api: "graphql",
    draw: draw.unseen,
    fresh: true,
  },
  "graphql-create-keyed": {
    title: "GraphQL, create a pet with an idempotency key, durable",
    api: "graphql",
    draw: draw.keyed,
    fresh: true,
    alone: true,
  },
  "rest-list": { title: "REST, first 20 pets (same for all callers)", api: "rest", draw: draw.list },
  "graphql-list": { title: "GraphQL, first 20 pets (same for all callers)", api: "graphql", draw: draw.list },
};
