// Apollo Server on Express, TypeGraphQL and TypeORM, each used as in its documentation.
import "reflect-metadata";
import { createServer } from "node:http";
import { ApolloServer } from "@apollo/server";
import { ApolloServerPluginDrainHttpServer } from "@apollo/server/plugin/drainHttpServer";
import { expressMiddleware } from "@as-integrations/express5";
import express from "express";
import { buildSchema } from "type-graphql";
import { announce } from "../raw/listening.mjs";
import { type Context, keyOf } from "./caller.js";
import { openDatabase } from "./data-source.js";
import { ApiKey, Pet } from "./entities.js";
import { PetResolver } from "./pet.resolver.js";
import { WhoamiResolver } from "./whoami.resolver.js";

const database = await openDatabase(process.env.DATABASE_URL ?? "");
const keys = database.getRepository(ApiKey);
const resolvers = new Map<unknown, unknown>([
  [PetResolver, new PetResolver(database.getRepository(Pet))],
  [WhoamiResolver, new WhoamiResolver()],
]);

const app = express();
const server = createServer(app);
const apollo = new ApolloServer<Context>({
  schema: await buildSchema({
    resolvers: [PetResolver, WhoamiResolver],
    container: { get: (type) => resolvers.get(type) },
    validate: true,
  }),
  plugins: [ApolloServerPluginDrainHttpServer({ httpServer: server })],
});
await apollo.start();
app.use(
  "/graphql",
  express.json(),
  expressMiddleware(apollo, {
    context: async ({ req }) => ({ key: await keyOf(keys, req.headers.authorization) }),
  }),
);
server.listen(Number(process.env.PORT), "127.0.0.1", () => announce(server, () => database.destroy()));
