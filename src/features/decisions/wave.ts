import { groupBy } from "../../common/group-by";
import { settled } from "../../database/coalesce-in-tx";
import { GatewayError } from "../../errors";

interface Units<Item, Input, Result> {
  /** Returns the subject of a unit; undefined for a unit that no other unit waits for. */
  subjectOf(input: Input, index: number): string | undefined;
  /** Reloads the inputs of items, because earlier units may have changed them. */
  again(items: readonly Item[]): Promise<Input[]>;
  /** Acquires the locks of the next step; called only if a unit needs them. */
  lock(): Promise<void>;
  run(index: number, input: Input, unit: WaveUnit): Promise<Result>;
}

/**
 * Runs units of work in one transaction: those about one subject in order, all others concurrently.
 * @returns the result of each unit, or the GatewayError of a unit that stored nothing
 * @throws the error of a unit that had stored something, which aborts the transaction
 */
export async function inTurns<Item, Input, Result>(
  items: readonly Item[],
  inputs: readonly Input[],
  { subjectOf, again, lock, run }: Units<Item, Input, Result>,
): Promise<(Result | GatewayError)[]> {
  const results: (Result | GatewayError)[] = [];
  const chains = [...groupBy(inputs.keys(), (i) => subjectOf(inputs[i] as Input, i) ?? i).values()];
  for (let turn = 0; ; turn++) {
    const now = chains.flatMap((chain) => chain[turn] ?? []);
    if (now.length === 0) return results;
    const current =
      turn === 0 ? now.map((i) => inputs[i] as Input) : await again(now.map((i) => items[i] as Item));
    const join = waveOf(now.length, lock);
    await settled(
      now.map(async (i, k) => {
        const unit = join();
        try {
          results[i] = await run(i, current[k] as Input, unit);
        } catch (error) {
          if (unit.hasStored || !(error instanceof GatewayError)) throw error;
          results[i] = error;
        } finally {
          unit.leave();
        }
      }),
    );
  }
}

/** Returns a function that adds a unit to a wave: no unit passes a step until all have reached it or ended. */
function waveOf(running: number, lock: () => Promise<void>): () => WaveUnit {
  let isWanted = false;
  let locking: Promise<void> | undefined;
  let go = () => {};
  const all = new Promise<void>((resolve) => {
    go = resolve;
  });
  return () => {
    let hasLeft = false;
    const unit: WaveUnit = {
      hasStored: false,
      pass: async (needsLock) => {
        isWanted ||= needsLock;
        unit.leave();
        await all;
        if (isWanted) locking ??= lock();
        await locking;
        unit.hasStored = true;
      },
      leave: () => {
        if (hasLeft) return;
        hasLeft = true;
        running -= 1;
        if (running === 0) go();
      },
    };
    return unit;
  };
}

export interface WaveUnit {
  /** True if the unit may have stored something. */
  hasStored: boolean;
  /** Waits for the other units and any locks they need. Call it once, before storing anything. */
  pass(needsLock: boolean): Promise<void>;
  /** Ends the unit, so that other units no longer wait for it; a no-op after `pass`. */
  leave(): void;
}
