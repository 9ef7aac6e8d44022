import createClient from "openapi-fetch";
import type { paths } from "./schema.js";

/** Uses the types of openapi-typescript with openapi-fetch. */
export async function use(baseUrl: string, key: string) {
  const client = createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${key}` } });
  const created = await client.POST("/v1/pets", { body: { name: "Rex", categoryId: 1, status: "sold" } });
  const unknown = await client.POST("/v1/pets", { body: { name: "Bo", categoryId: 2, status: null } });
  const listed = await client.GET("/v1/pets", { params: { query: { limit: 1, status: "sold" } } });
  const missing = await client.GET("/v1/pets/{petId}", { params: { path: { petId: 404 } } });
  return {
    created: created.data?.name,
    status: unknown.data?.status ?? null,
    listed: listed.data?.map(({ id, name }) => ({ id, name })),
    code: missing.error?.code,
  };
}
