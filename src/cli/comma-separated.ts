/** Parses a comma-separated option such as `pets:read, pets:write`. */
export const commaSeparated = (text: string): string[] =>
  text.split(",").flatMap((each) => each.trim() || []);
