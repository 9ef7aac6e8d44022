/** Returns text from the server with typographic apostrophes, as in the dashboard's own text. */
export const typographic = (text: string): string => text.replace(/(\w)'(?=\w|\s)/g, "$1’");
