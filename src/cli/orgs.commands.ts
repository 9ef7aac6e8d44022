import type { Command } from "commander";
import { operatorFor } from "../auth/context";
import type { Organization } from "../features/organizations/organization.entity";
import { NewOrganization, RenameOrganizationInput } from "../features/organizations/organization.inputs";
import { validateInput } from "../schema/validate-input";
import { addYesOption, type Confirmation, confirm } from "./confirm";
import { print, printJson, printTable } from "./output";
import { withServices } from "./services";

interface Json {
  json?: boolean;
}

export const description = "Organizations";

/** Adds the commands of `gateway orgs`. */
export function add(orgs: Command): void {
  orgs
    .command("list")
    .description("list organizations")
    .option("--json", "print one JSON array")
    .action(({ json }: Json) =>
      withServices(async ({ organizations }) => {
        const records = (await organizations.list()).map(describe);
        if (json) printJson(records);
        else printTable(records, "There are no organizations.");
      }),
    );

  orgs
    .command("add")
    .description("create an organization")
    .requiredOption("--slug <slug>", "unique short name")
    .requiredOption("--name <name>", "display name")
    .option("--json", "print one JSON object")
    .action(({ slug, name, json }: Json & { slug: string; name: string }) =>
      withServices(async ({ organizations }) => {
        const input = Object.assign(new NewOrganization(), { slug, name });
        await validateInput(input);
        const organization = await organizations.create(input);
        if (json) printJson(describe(organization));
        else print(`Created the organization ${slug}.`);
      }),
    );

  orgs
    .command("rename")
    .description("change an organization's display name; its slug stays the same")
    .argument("<slug>", "slug of the organization")
    .argument("<name>", "the new display name")
    .option("--json", "print one JSON object")
    .action((slug: string, name: string, { json }: Json) =>
      withServices(async ({ organizations }) => {
        const args = Object.assign(new RenameOrganizationInput(), { name });
        await validateInput(args);
        const organization = await organizations.rename(operatorFor(await organizations.bySlug(slug)), args);
        if (json) printJson(describe(organization));
        else print(`${slug} is now called ${organization.name}.`);
      }),
    );

  for (const command of ["deactivate", "reactivate"] as const) {
    const deactivates = command === "deactivate";
    addYesOption(orgs.command(command))
      .description(
        deactivates
          ? "deactivate an organization; all of its keys are rejected from the next request on"
          : "reactivate an organization; its keys are accepted again",
      )
      .argument("<slug>", "slug of the organization")
      .option("--json", "print one JSON object")
      .action((slug: string, options: Json & Confirmation) =>
        withServices(async ({ organizations }) => {
          const organization = await organizations.bySlug(slug);
          if (deactivates)
            await confirm(
              `Deactivate ${slug} (${organization.name})? All of its keys will be rejected.`,
              options,
            );
          const changed = await organizations[command](operatorFor(organization));
          if (options.json) printJson(describe(changed));
          else print(`${slug} is ${describe(changed).state}.`);
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
