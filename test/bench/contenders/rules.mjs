/** The contenders of the section `decisions`, with the same members as in contenders.mjs. */
export const DECIDERS = [
  {
    name: "json-rules-engine",
    title: "json-rules-engine on Fastify, raw SQL",
    entry: "rules/main.mjs",
    env: { DECIDER: "json-rules-engine" },
    packages: ["json-rules-engine", "fastify", "sqlite3", "pg"],
  },
  {
    name: "functions",
    title: "JavaScript functions on Fastify, raw SQL",
    entry: "rules/main.mjs",
    env: { DECIDER: "functions" },
    packages: ["fastify", "sqlite3", "pg"],
  },
];
