// NestJS with GraphQL (code first) and TypeORM on Express, each used as in its documentation.
import "reflect-metadata";
import { NestFactory } from "@nestjs/core";
import { DataSource } from "typeorm";
import { announce } from "../raw/listening.mjs";
import { AppModule } from "./app.module.js";

const app = await NestFactory.create(AppModule, { logger: ["error", "warn"] });
const database = app.get(DataSource);
if (database.options.type === "sqlite") await database.query("PRAGMA synchronous = FULL");
await app.listen(Number(process.env.PORT), "127.0.0.1");
announce(app.getHttpServer(), () => app.close());
