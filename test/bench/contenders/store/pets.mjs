import { decodeCursor, encodeCursor } from "./cursor.mjs";
import { Refusal } from "./refusal.mjs";

const MAX_PAGE = 100;
const MAX_NAME = 200;
const DIGITS = /^(0|-?[1-9]\d{0,15})$/;

const invalid = (message) => new Refusal(400, "invalid_request", message);

/** A page of pets as GraphQL shows it. @throws Refusal 400 */
export async function petsPage(store, { first, after, status }) {
  const limit = first ?? 20;
  if (limit < 1 || limit > MAX_PAGE) throw invalid("first must be from 1 to 100");
  const rows = await store.page({
    // One more, to tell whether there are others.
    limit: limit + 1,
    after: after == null ? undefined : decodeCursor(after),
    status: status ?? undefined,
  });
  const hasNextPage = rows.length > limit;
  const nodes = hasNextPage ? rows.slice(0, limit) : rows;
  const last = nodes.at(-1);
  return {
    nodes,
    pageInfo: { hasNextPage, endCursor: last === undefined ? null : encodeCursor(last.id) },
  };
}

/** The pet, or null where there is none, be the text an id or not. */
export const findPet = async (store, id) => (DIGITS.test(id) && (await store.pet(Number(id)))) || null;

/** Adds a pet, with the types already checked by the schema. @throws Refusal 400 */
export async function createPet(store, { name, categoryId, status = null }) {
  if (name.trim() === "" || name.length > MAX_NAME) throw invalid("name must have 1 to 200 characters");
  if (!DIGITS.test(categoryId)) throw invalid("categoryId must be an integer");
  return store.createPet({ name, categoryId: Number(categoryId), status });
}
