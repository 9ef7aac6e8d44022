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
    const wave = new Wave(now.length, lock);
    await settled(
      now.map(async (i, k) => {
        const unit = wave.unit();
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

/** Units of work that take their locks in steps: none passes a step before all have arrived there or have ended. */
class Wave {
  private readonly arrived: (() => void)[] = [];
  private isWanted = false;
  private locking: Promise<void> | undefined;

  constructor(
    private running: number,
    private readonly lock: () => Promise<void>,
  ) {}

  /** Joins the wave as one of its units. */
  unit(): WaveUnit {
    let hasPassed = false;
    const leave = () => {
      if (hasPassed) return;
      hasPassed = true;
      this.running -= 1;
      if (this.running === 0) for (const go of this.arrived) go();
    };
    const unit: WaveUnit = {
      hasStored: false,
      pass: async (needsLock) => {
        this.isWanted ||= needsLock;
        const all = new Promise<void>((resolve) => this.arrived.push(resolve));
        leave();
        await all;
        if (this.isWanted) await this.locked();
        unit.hasStored = true;
      },
      leave,
    };
    return unit;
  }

  private locked(): Promise<void> {
    this.locking ??= this.lock();
    return this.locking;
  }
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
