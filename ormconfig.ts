import "reflect-metadata";
import { loadConfig } from "./src/config";
import { createDataSource } from "./src/database/data-source";

const { databaseUrl, databasePoolSize } = loadConfig(process.env);

/** The database of the settings: for the server, the command line, and `npx typeorm -d dist/ormconfig.js`. */
export default createDataSource(databaseUrl, databasePoolSize);
