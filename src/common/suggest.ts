import { didYouMean } from "graphql/jsutils/didYouMean";
import { suggestionList } from "graphql/jsutils/suggestionList";

/** Returns the known name that is most similar to an unknown one; null if none is similar. */
export const nearest = (name: string, known: Iterable<string>): string | null =>
  suggestionList(name, [...known])[0] ?? null;

/** Returns the end of a sentence, such as `. Did you mean "b"?`; empty if no known name is similar. */
export const suggestion = (name: string, known: Iterable<string>): string => {
  const found = nearest(name, known);
  return found === null ? "" : `.${didYouMean([found])}`;
};
