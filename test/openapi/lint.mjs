// `npm run check:contracts`: the derived document passes Redocly's strictest rules, or the check fails.
import "reflect-metadata";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import schemas from "../../dist/src/graphql/schema.js";
import openapi from "../../dist/src/rest/openapi/openapi.js";

const servers = openapi.serversOf({
  productionUrl: "https://api.gateway.dev",
  stagingUrl: "https://staging.gateway.dev",
});
const source = JSON.stringify(openapi.createOpenApi(schemas.createSchema(), servers));
const config = await createConfig({ extends: ["recommended-strict"] });
const problems = await lintFromString({ source, config });
for (const { severity, ruleId, message, location } of problems) {
  console.error(`${severity} ${ruleId}: ${message} (${location.map(({ pointer }) => pointer).join(", ")})`);
}
console.log(`OpenAPI: ${problems.length} problems under Redocly's recommended-strict rules.`);
process.exitCode = problems.length === 0 ? 0 : 1;
