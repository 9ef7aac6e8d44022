import "reflect-metadata";
import { loadConfig } from "./src/config";
import { createDataSource } from "./src/features";

const { databaseUrl, databasePoolSize } = loadConfig(process.env);

/** The configured database, for `npx typeorm -d dist/ormconfig.js`. */
export default createDataSource(databaseUrl, databasePoolSize);
