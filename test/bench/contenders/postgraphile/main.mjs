// PostGraphile with Grafserv on node:http: the schema is derived from the tables, and each request becomes one SQL
// query.
import "./environment.mjs";
import { createServer } from "node:http";
import { postgraphile } from "postgraphile";
import { grafserv } from "postgraphile/grafserv/node";
import { announce } from "../raw/listening.mjs";
import { openStore } from "../raw/store.mjs";
import { presetOf } from "./preset.mjs";

const url = process.env.DATABASE_URL;
const store = openStore(url);
const pgl = postgraphile(presetOf(url, store));
const serv = pgl.createServ(grafserv);
const server = createServer();
await serv.addTo(server);
await serv.ready();
server.listen(Number(process.env.PORT), "127.0.0.1", () =>
  announce(server, async () => {
    await pgl.release();
    await store.close();
  }),
);
