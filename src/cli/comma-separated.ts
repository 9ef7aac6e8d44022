/** Reads an option that is a list: `pets:read, pets:write`. */
export const commaSeparated = (text: string): string[] =>
  text.split(",").flatMap((each) => each.trim() || []);
