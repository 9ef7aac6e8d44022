import "reflect-metadata";
import schemas from "../../dist/src/graphql/schema.js";
import openapi from "../../dist/src/rest/openapi/openapi.js";

/** @returns the OpenAPI document of the build, with servers */
export function createDocument() {
  const servers = openapi.serversOf({
    productionUrl: "https://api.gateway.dev",
    stagingUrl: "https://staging.gateway.dev",
  });
  return openapi.createOpenApi(schemas.createSchema(), servers);
}
