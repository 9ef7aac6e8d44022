// `npm run check:contracts`: the derived document passes Redocly's strictest rules, or the check fails.
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { createDocument } from "./document.mjs";

const source = JSON.stringify(createDocument());
const config = await createConfig({ extends: ["recommended-strict"] });
const problems = await lintFromString({ source, config });
for (const { severity, ruleId, message, location } of problems) {
  console.error(`${severity} ${ruleId}: ${message} (${location.map(({ pointer }) => pointer).join(", ")})`);
}
console.log(`OpenAPI: ${problems.length} problems under Redocly's recommended-strict rules.`);
process.exitCode = problems.length === 0 ? 0 : 1;
