import { createPet, getPet, listPets } from "./orval-client.js";

/** Uses the client of orval, whose base URL was set when it was generated. */
export async function use(_baseUrl: string, key: string) {
  const options = { headers: { authorization: `Bearer ${key}` } };
  const created = await createPet({ name: "Rex", categoryId: 1, status: "sold" }, options);
  const unknown = await createPet({ name: "Bo", categoryId: 2, status: null }, options);
  const listed = await listPets({ limit: 1, status: "sold" }, options);
  const missing = await getPet(404, options);
  if (created.status !== 201 || unknown.status !== 201 || listed.status !== 200) throw new Error("refused");
  return {
    created: created.data.name,
    status: unknown.data.status ?? null,
    listed: listed.data.map(({ id, name }) => ({ id, name })),
    code: missing.status === 404 ? missing.data.code : undefined,
  };
}
