import { graphqlApi, restApi } from "../apis.mjs";
import { postgraphileApi } from "./postgraphile/api.mjs";
import { sofaApi } from "./sofa/api.mjs";

const BOTH = ["sqlite", "postgres"];

/**
 * Returns a contender, and a variant that also does the product's other work for each request; see `raw/same-work.mjs`.
 */
const withSameWork = (contender) => [
  contender,
  {
    ...contender,
    name: `${contender.name}-same-work`,
    title: `${contender.title}, with the product's other work`,
    env: { SAME_WORK: "1" },
    doesSameWork: true,
  },
];

/**
 * All participants. The others are compared with the first one, the product.
 * - `entry`: path of the program in this folder; README.md describes how it is started
 * - `flags`: flags for node
 * - `engines`: the databases that it supports
 * - `apis`: its formats of requests and responses, `rest` and `graphql`; `../apis.mjs` defines the product's formats,
 *   and contenders that differ define their own
 * - `packages`: the packages whose versions appear in the results
 * - `doesSameWork`: true if it sends the product's headers and records the use of keys
 */
export const CONTENDERS = [
  {
    name: "product",
    title: "this gateway",
    entry: "../../../dist/src/main.js",
    engines: BOTH,
    apis: { rest: restApi, graphql: graphqlApi },
    packages: [],
  },
  ...withSameWork({
    name: "floor",
    title: "Fastify, raw SQL",
    entry: "floor/main.mjs",
    engines: BOTH,
    apis: { rest: restApi },
    packages: ["fastify", "better-sqlite3", "pg"],
  }),
  ...withSameWork({
    name: "mercurius",
    title: "Mercurius with JIT, raw SQL",
    entry: "mercurius/main.mjs",
    engines: BOTH,
    apis: { graphql: graphqlApi },
    packages: ["mercurius", "fastify", "better-sqlite3", "pg"],
  }),
  {
    name: "yoga",
    title: "GraphQL Yoga, raw SQL",
    entry: "yoga/main.mjs",
    engines: BOTH,
    apis: { graphql: graphqlApi },
    packages: ["graphql-yoga", "better-sqlite3", "pg"],
  },
  {
    name: "textbook-apollo",
    title: "Apollo + Express + TypeGraphQL + TypeORM",
    entry: "dist/textbook-apollo/main.js",
    engines: BOTH,
    apis: { graphql: graphqlApi },
    packages: ["@apollo/server", "express", "type-graphql", "typeorm", "sqlite3", "pg"],
  },
  {
    name: "nest",
    title: "NestJS GraphQL + TypeORM",
    entry: "dist/nest/main.js",
    engines: BOTH,
    apis: { graphql: graphqlApi },
    packages: ["@nestjs/core", "@nestjs/graphql", "@nestjs/apollo", "typeorm", "sqlite3", "pg"],
  },
  {
    name: "sofa",
    title: "SOFA",
    entry: "sofa/main.mjs",
    engines: BOTH,
    apis: { rest: sofaApi },
    packages: ["sofa-api", "better-sqlite3", "pg"],
  },
  {
    name: "postgraphile",
    title: "PostGraphile",
    entry: "postgraphile/main.mjs",
    engines: ["postgres"],
    apis: { graphql: postgraphileApi },
    packages: ["postgraphile", "pg"],
  },
];
