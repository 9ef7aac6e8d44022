import type { Command } from "commander";
import type { Organization } from "../features/organizations/organization.entity";
import { mutation, query, type Run } from "./client";
import { addYesOption, type Confirmation, confirm } from "./confirm";
import { withClient, withRun, withServices } from "./connect";
import { type Json, printResult, printRows } from "./output";
import { addOnDatabase } from "./target";

const ORGANIZATION = "id slug name deactivatedAt createdAt";

const OWN = query("organization", "", ORGANIZATION);
const RENAME = mutation("renameOrganization", ORGANIZATION);

export const description = "Organizations";

export function add(orgs: Command): void {
  orgs
    .command("list")
    .description("list organizations; with --url, only the key's organization")
    .option("--json", "print one JSON array")
    .action(({ json }: Json) =>
      withClient(async ({ about, services }) => {
        const own = async (run: Run) => [await run<Organization>(OWN)];
        const found = services ? await services.organizations.list() : await own(await about({}));
        const columns = "id slug name state deactivatedAt createdAt";
        printRows(json, found.map(describe), columns, "There are no organizations.");
      }),
    );

  addOnDatabase(orgs, "add")
    .description("create an organization")
    .requiredOption("--slug <slug>", "unique short name")
    .requiredOption("--name <name>", "display name")
    .action(({ json, ...given }: Json & { slug: string; name: string }) =>
      withServices(async ({ organizations }, valid) => {
        const { NewOrganization } = await import("../features/organizations/organization.inputs.js");
        const organization = await organizations.create(await valid(NewOrganization, given));
        printResult(json, describe(organization), `Created the organization ${given.slug}.`);
      }),
    );

  orgs
    .command("rename")
    .description("change an organization's display name; its slug stays the same")
    .argument("<slug>", "slug of the organization")
    .argument("<name>", "the new display name")
    .action((slug: string, name: string, { json }: Json) =>
      withRun({ org: slug }, async (run) => {
        const organization = await run<Organization>(RENAME, { input: { name } });
        printResult(json, describe(organization), `${slug} is now called ${organization.name}.`);
      }),
    );

  for (const command of ["deactivate", "reactivate"] as const) {
    const deactivates = command === "deactivate";
    const change = `mutation { ${command}Organization { ${ORGANIZATION} } }`;
    addYesOption(orgs.command(command))
      .description(
        deactivates
          ? "deactivate an organization; all of its keys are rejected, starting with the next request"
          : "reactivate an organization; its keys are accepted again",
      )
      .argument("<slug>", "slug of the organization")
      .action((slug: string, options: Json & Confirmation) =>
        withRun({ org: slug }, async (run) => {
          if (deactivates) {
            const { name } = await run<Organization>(OWN);
            await confirm(`Deactivate ${slug} (${name})? All of its keys will be rejected.`, options);
          }
          const changed = describe(await run<Organization>(change));
          printResult(options.json, changed, `${slug} is ${changed.state}.`);
        }),
      );
  }
}

const describe = ({ id, slug, name, deactivatedAt, createdAt }: Organization) => ({
  id,
  slug,
  name,
  state: deactivatedAt === null ? "active" : "deactivated",
  deactivatedAt,
  createdAt,
});
