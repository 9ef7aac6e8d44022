import type { TypeOrmModuleOptions } from "@nestjs/typeorm";

/** @param url `sqlite:<file>` or `postgres://…` */
export const databaseOptions = (url: string): TypeOrmModuleOptions =>
  url.startsWith("sqlite:")
    ? { type: "sqlite", database: url.slice("sqlite:".length), enableWAL: true, autoLoadEntities: true }
    : { type: "postgres", url, poolSize: 10, autoLoadEntities: true };
