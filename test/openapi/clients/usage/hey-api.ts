import { client } from "./client/client.gen.js";
import { createPet, getPet, listPets } from "./client/sdk.gen.js";

/** Uses the client of @hey-api/openapi-ts. */
export async function use(baseUrl: string, key: string) {
  client.setConfig({ baseUrl, auth: () => key });
  const created = await createPet({ body: { name: "Rex", categoryId: 1, status: "sold" } });
  const unknown = await createPet({ body: { name: "Bo", categoryId: 2, status: null } });
  const listed = await listPets({ query: { limit: 1, status: "sold" } });
  const missing = await getPet({ path: { petId: 404 } });
  return {
    created: created.data?.name,
    status: unknown.data?.status ?? null,
    listed: listed.data?.map(({ id, name }) => ({ id, name })),
    code: missing.error?.code,
  };
}
