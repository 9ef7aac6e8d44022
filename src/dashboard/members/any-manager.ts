/** Shown in place of managers until they have loaded, and if they cannot be loaded. */
export const ANY_MANAGER = "a manager of your organization";
