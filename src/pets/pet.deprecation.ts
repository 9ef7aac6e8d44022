import type { Deprecation } from "../rest/deprecation";

/** The one declaration that getting an animal by its id goes away; both doors announce it from here. */
export const GET_PET_DEPRECATION: Deprecation = {
  since: new Date("2026-11-21T00:00:00Z"),
  sunset: new Date("2030-12-05T00:00:00Z"),
  successor: "/v1/pets",
  reason: "Removed on 5 December 2030. Use `pets` with a status filter.",
};
