/** Letters that are written from right to left, such as Hebrew and Arabic. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefe]/;

/**
 * Returns a name for a text without elements, such as an option. A right-to-left name must not reorder the text around
 * it, and keeps its punctuation (UAX #9, FSI and PDI).
 */
export const isolated = (name: string): string => (RIGHT_TO_LEFT.test(name) ? `\u2068${name}\u2069` : name);
