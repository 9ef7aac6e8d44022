/** Shown until the managers have loaded. */
export const ANY_MANAGER = "a manager of your organization";
