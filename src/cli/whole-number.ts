import { InvalidArgumentError } from "commander";

/**
 * Creates a parser for an option that is a whole number.
 * @returns a function that throws InvalidArgumentError for any other text and for numbers outside the range
 */
export const wholeNumber =
  (min: number, max: number) =>
  (text: string): number => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < min || value > max) {
      throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
    }
    return value;
  };
