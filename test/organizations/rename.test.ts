import { auditLog } from "../support/audit";
import { codeOf } from "../support/people";
import { runCliForJson } from "../support/process";
import { describeGateway } from "../support/suite";

/** A well-formed key, which must not be stored as text. */
const A_KEY = "agk_dev_PWTCLzGa9eiB_Wl77wWJKgHq3Boo94bzIQz0i7xnG";

describeGateway({ engine: "any" }, (gateway) => {
  const rename = (name: unknown) =>
    gateway.graphql(
      "mutation ($name: String!) { renameOrganization(input: { name: $name }) { slug name } }",
      { name },
      { token: gateway.owner },
    );
  const nameOf = async () =>
    (await gateway.graphql("{ viewer { organization { name } } }", {}, { token: gateway.owner })).body.data
      .viewer.organization.name;
  const renames = async () => {
    const { id } = await gateway.services.organizations.bySlug("first");
    const entries = await auditLog(gateway, { targetId: id, action: "organization_renamed" });
    return entries.map(({ changes }: { changes: unknown }) => changes).reverse();
  };

  test("a manager and the command line rename an organization, and each new name is recorded", async () => {
    const before = await nameOf();
    const first = await rename("  Ærø & Sons ");
    expect(first.body.data.renameOrganization).toEqual({ slug: "first", name: "Ærø & Sons" });
    await rename("Ærø & Sons");
    const second = await runCliForJson(gateway.databaseUrl, "orgs", "rename", "first", "By hand");
    expect(second).toMatchObject({ slug: "first", name: "By hand" });
    expect(await nameOf()).toBe("By hand");
    const whoami = await gateway.rest("GET", "/agent/whoami");
    expect(whoami.body.organization).toMatchObject({ slug: "first", name: "By hand" });
    expect(await renames()).toEqual([
      [{ field: "name", before, after: "Ærø & Sons" }],
      [{ field: "name", before: "Ærø & Sons", after: "By hand" }],
    ]);
  });

  test("concurrent renames are recorded one after the other, without a gap", async () => {
    const known = (await renames()).length;
    await Promise.all(Array.from({ length: 8 }, (_, i) => rename(`Name ${i}`)));
    const changes = (await renames()).slice(known).flat();
    const names = changes.map(({ after }: { after: string }) => after);
    expect(changes.slice(1).map(({ before }: { before: string }) => before)).toEqual(names.slice(0, -1));
    expect(await nameOf()).toBe(names.at(-1));
  });

  test.each([" ", "", "x".repeat(201), "two\nlines", "bell \u0007", A_KEY])("rejects %j", async (name) => {
    const before = await nameOf();
    const rejected = await rename(name);
    expect([codeOf(rejected), rejected.body.errors[0].extensions.problems[0].path]).toEqual([
      "invalid_request",
      "input.name",
    ]);
    expect(await nameOf()).toBe(before);
  });
});
