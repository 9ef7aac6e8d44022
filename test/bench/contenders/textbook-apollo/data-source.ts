import { DataSource } from "typeorm";
import { Agent, ApiKey, Organization, Pet } from "./entities.js";

/** @param url `sqlite:<file>` or `postgres://…` */
export async function openDatabase(url: string): Promise<DataSource> {
  const entities = [Pet, Organization, Agent, ApiKey];
  if (!url.startsWith("sqlite:"))
    return new DataSource({ type: "postgres", url, poolSize: 10, entities }).initialize();
  const database = url.slice("sqlite:".length);
  const source = await new DataSource({ type: "sqlite", database, enableWAL: true, entities }).initialize();
  await source.query("PRAGMA synchronous = FULL");
  return source;
}
