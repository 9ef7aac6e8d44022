import { once } from "node:events";
import { createInterface } from "node:readline/promises";
import type { Command } from "commander";
import { StartupError } from "../errors";
import { printable } from "./output";

export interface Confirmation {
  yes?: boolean;
}

/** Adds the `--yes` option, which skips the question that `confirm` asks. */
export const addYesOption = (command: Command): Command =>
  command.option("--yes", "do not ask for confirmation");

/** Asks a user at a terminal, but no script, whether to continue; throws a StartupError unless the answer is yes. */
export async function confirm(question: string, { yes }: Confirmation): Promise<void> {
  if (yes || !process.stdin.isTTY || !process.stderr.isTTY) return;
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  // Ctrl-D closes the interface, and Ctrl-C also rejects the question.
  const closed = once(terminal, "close").then(() => "\n");
  const asked = terminal.question(`${printable(question)} [y/N] `).catch(() => closed);
  const answer = await Promise.race([asked, closed]);
  terminal.close();
  if (answer === "\n") process.stderr.write(answer);
  if (!/^\s*y(es)?\s*$/i.test(answer)) throw new StartupError("canceled: nothing was changed");
}
