import type { Command } from "commander";
import { InvalidInput } from "../errors";

/**
 * Replaces the paths of an input's problems with the command's options: `input.webhook.url` becomes `--url`. A path
 * without an option loses only its prefix `input.`.
 */
export const inOptionsOf = ({ options }: Command, { problems }: InvalidInput): InvalidInput =>
  new InvalidInput(
    problems.map(({ path, message }) => {
      const field = path.replace(/(\.\d+)+$/, "").replace(/^.*\./, "");
      const option = [field, field.replace(/Id$/, "")]
        .map((name) => options.find((each) => each.attributeName() === name && !each.negate))
        .find((each) => each !== undefined);
      return { path: option?.long ?? path.replace(/^input\./, ""), message };
    }),
  );
