import { MAX_CONDITION_STEPS, MAX_READS } from "../../configuration.limits";
import { LocalFormats } from "../local-formats";
import { StepBudget } from "../step-budget";
import { type ObjectValue, type Read, readOf, type Value } from "../value";
import { Failure } from "./failure";

/** A compiled expression. */
export type Expression = (run: Run) => Value;

/** Cost of a failure (steps); creating an error is slow. */
const STEPS_PER_FAILURE = 50;

/** The state of evaluating a decision's conditions: the available values, the values read, and the cost. */
export class Run {
  readonly steps = new StepBudget(MAX_CONDITION_STEPS);
  /** The current item of a macro. */
  item: Value = null;
  private readonly known = new Map<string, Read>();
  private reads: Read[] = [];
  private recorded = 0;

  /** @param roots the values available to conditions, by name */
  constructor(
    readonly roots: ObjectValue,
    readonly formats = new LocalFormats(),
  ) {}

  /** Records a value read by the current clause. */
  record(path: string, value: Value): void {
    let read = this.known.get(path);
    if (read === undefined) {
      read = readOf(path, value);
      this.known.set(path, read);
    }
    if (this.recorded >= MAX_READS || this.reads.includes(read)) return;
    this.reads.push(read);
    this.recorded += 1;
  }

  /** Returns the values read since the last call. */
  takeReads(): Read[] {
    const { reads } = this;
    this.reads = [];
    return reads;
  }

  /** Evaluates an expression for a macro's item. */
  with(item: Value, body: Expression): Value {
    this.item = item;
    return body(this);
  }

  /** Evaluates part of a condition and returns its failure; an exceeded budget fails the whole condition. */
  attempt<T>(part: () => T): T | Failure {
    try {
      return part();
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      this.steps.spend(STEPS_PER_FAILURE);
      return error;
    }
  }
}
