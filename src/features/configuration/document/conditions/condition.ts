import type { Environment } from "@marcbachmann/cel-js";
import { type Position, positionAt, SourceError } from "../problem";
import type { Shapes } from "../shapes";
import { TooExpensive } from "../step-budget";
import type { Read } from "../value";
import { compileExpression } from "./compile";
import { Failure, type FailureCode } from "./failure";
import { bool } from "./operators";
import type { Expression, Run } from "./run";

/** The result of a clause. */
export interface ClauseResult {
  source: string;
  /** Null if the clause failed, which counts as false. */
  value: boolean | null;
  error: { code: FailureCode; message: string } | null;
  /** The values that the clause read, in the order of first access. */
  read: Read[];
}

/** A clause of a rule. */
export class Condition {
  private constructor(
    readonly source: string,
    private readonly evaluateExpression: Expression,
  ) {}

  /**
   * Parses a condition in CEL.
   * @param environment the types of the available values
   * @param shapes the shapes of the same values
   * @param isChecked true if the condition is from a published version, whose types are known to match
   * @throws SourceError with the first problem
   */
  static parse(source: string, environment: Environment, shapes: Shapes, isChecked = false): Condition {
    try {
      const parsed = environment.parse(source);
      const expression = compileExpression(parsed.ast, shapes);
      if (!isChecked) {
        // Only now, because the type check permanently stores the types of everything in the condition.
        const { valid, type, error } = parsed.check();
        if (!valid) throw error;
        if (type !== "bool" && !type?.startsWith("dyn"))
          throw new SourceError(`is of type ${type}, not bool`);
      }
      return new Condition(source, expression);
    } catch (error) {
      throw sourceErrorOf(error, source);
    }
  }

  evaluate(run: Run): ClauseResult {
    const { source } = this;
    try {
      const value = bool(this.evaluateExpression(run));
      return { source, value, error: null, read: run.takeReads() };
    } catch (error) {
      return { source, value: null, error: failureOf(error), read: run.takeReads() };
    }
  }
}

function failureOf(error: unknown): { code: FailureCode; message: string } {
  if (error instanceof TooExpensive) {
    return { code: "too_expensive", message: "The conditions of this decision take too many steps." };
  }
  if (error instanceof Failure) return { code: error.code, message: error.message };
  throw error;
}

/** Converts an error of the library: its first line is the reason, the following lines show the position. */
function sourceErrorOf(error: unknown, source: string): SourceError {
  if (error instanceof SourceError) return error;
  if (error instanceof RangeError) return new SourceError("is nested too deeply");
  if (!(error instanceof Error)) throw error;
  const { range } = error as { range?: { start: number } };
  const position: Position | undefined = range && positionAt(source, range.start);
  const [reason = ""] = error.message.split("\n");
  return new SourceError(`is not valid: ${reason}`, position);
}
