/**
 * Units of work that run side by side in a transaction and take their locks in steps: none passes a step before all have
 * arrived there or have ended.
 */
export class Wave {
  private readonly arrived: (() => void)[] = [];
  private isWanted = false;
  private locking: Promise<void> | undefined;

  /**
   * @param running how many units there are
   * @param lock takes the locks of the next step, if any unit wants them
   */
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
    return {
      pass: async (needsLock) => {
        this.isWanted ||= needsLock;
        const all = new Promise<void>((resolve) => this.arrived.push(resolve));
        leave();
        await all;
        if (this.isWanted) await this.locked();
      },
      leave,
    };
  }

  private locked(): Promise<void> {
    this.locking ??= this.lock();
    return this.locking;
  }
}

/** One of the units of a wave. */
export interface WaveUnit {
  /** Waits for the others, and for the locks if any unit needs them. Once for each unit. */
  pass(needsLock: boolean): Promise<void>;
  /** Ends the unit for the others, which need not wait for it; after `pass`, it does nothing. */
  leave(): void;
}
