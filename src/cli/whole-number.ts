import { InvalidArgumentError } from "commander";

/** Makes what reads an option that is a whole number. @throws InvalidArgumentError (when called) outside the range */
export const wholeNumber =
  (min: number, max: number) =>
  (text: string): number => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < min || value > max) {
      throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
    }
    return value;
  };
