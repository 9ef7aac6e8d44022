// The dashboard imports this module, so it must not import anything.

/** Max length of an agent's name (code points). */
export const AGENT_NAME_MAX_LENGTH = 200;

/** Max agents per organization, excluding deleted ones. */
export const MAX_AGENTS = 200;
