import { PetStatus } from "../../src/features/pets/pet.entity";
import { onEachEngine } from "../support/engines";
import { suiteGateway } from "../support/suite";

interface Page {
  status?: PetStatus;
  first: number;
  /** Number of pets in the whole list to skip. */
  skip: number;
}

onEachEngine((engine) => {
  const TOTAL = 400;
  const statuses = [...Object.values(PetStatus), undefined];
  const gateway = suiteGateway(engine);
  let cursors: string[];
  beforeAll(async () => {
    await gateway.services.pets.seed(TOTAL);
    cursors = await cursorsOfAll();
  });

  async function cursorsOfAll(): Promise<string[]> {
    const found: string[] = [];
    while (found.length < TOTAL) {
      const { body } = await gateway.graphql(
        "query ($after: String) { pets(first: 100, after: $after) { edges { cursor } } }",
        { after: found.at(-1) },
      );
      found.push(...body.data.pets.edges.map(({ cursor }: { cursor: string }) => cursor));
    }
    return found;
  }

  /** Returns the pets that `seed` created, computed without the database. */
  function expected({ status, first, skip }: Page): { names: string[]; more: boolean } {
    const rest = Array.from({ length: TOTAL }, (_, i) => i)
      .slice(skip)
      .filter((i) => status === undefined || statuses[i % statuses.length] === status)
      .map((i) => `Pet ${i + 1}`);
    return { names: rest.slice(0, first), more: rest.length > first };
  }

  async function ask({ status, first, skip }: Page): Promise<{ names: string[]; more: boolean }> {
    const query = new URLSearchParams({ limit: String(first) });
    if (status !== undefined) query.set("status", status);
    if (skip > 0) query.set("cursor", cursors[skip - 1] ?? "");
    const { body, headers } = await gateway.rest("GET", `/v1/pets?${query}`);
    return { names: body.map(({ name }: { name: string }) => name), more: headers.has("link") };
  }

  test("lists of every length, status and position that are requested together are each answered as if requested alone", async () => {
    const pages = Array.from({ length: 100 }, (_, i): Page => {
      const status = statuses[i % statuses.length];
      return { ...(status && { status }), first: i + 1, skip: (i * 37) % (TOTAL + 1) };
    });
    expect(await Promise.all(pages.map(ask))).toEqual(pages.map(expected));
  });
});
