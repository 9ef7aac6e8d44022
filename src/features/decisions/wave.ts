import { groupBy } from "../../common/group-by";
import { settled } from "../../database/coalesce-in-tx";
import { GatewayError } from "../../errors";

/** How units of work run in one transaction. */
interface Units<Input, Result> {
  /** What a unit is about; undefined for one that no other waits for. */
  subjectOf(input: Input): string | undefined;
  /** Finds the inputs of units again, because the previous ones may have changed them. */
  again(indexes: readonly number[]): Promise<Input[]>;
  /** Takes the locks of the next step, if any unit wants them. */
  lock(): Promise<void>;
  run(index: number, input: Input, unit: WaveUnit): Promise<Result>;
}

/**
 * Runs units of work in one transaction: those about the same subject one after the other, in their order; the others side
 * by side.
 * @param inputs the inputs of all units
 * @returns the result of each, or the GatewayError of a unit that has stored nothing
 * @throws the error of a unit that has stored something, which ends the transaction
 */
export async function inTurns<Input, Result>(
  inputs: readonly Input[],
  { subjectOf, again, lock, run }: Units<Input, Result>,
): Promise<(Result | GatewayError)[]> {
  const results: (Result | GatewayError)[] = [];
  const chains = [...groupBy(inputs.keys(), (i) => subjectOf(inputs[i] as Input) ?? i).values()];
  for (let turn = 0; ; turn++) {
    const now = chains.flatMap((chain) => chain[turn] ?? []);
    if (now.length === 0) return results;
    const current = turn === 0 ? now.map((i) => inputs[i] as Input) : await again(now);
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

/**
 * A wave of units of work that take their locks in steps: none passes a step before all have arrived there or have ended.
 * @returns a function that joins the wave as one of its units
 */
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

/** One of the units of a wave. */
export interface WaveUnit {
  /** True if it may have stored something. */
  hasStored: boolean;
  /** Waits for the others, and for the locks if any unit needs them. Once for each unit, before it stores anything. */
  pass(needsLock: boolean): Promise<void>;
  /** Ends the unit for the others, which need not wait for it; after `pass`, it does nothing. */
  leave(): void;
}
