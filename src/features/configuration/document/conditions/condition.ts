import type { ASTNode, Environment } from "@marcbachmann/cel-js";
import { type Position, positionAt, SourceError } from "../problem";
import type { Shapes } from "../shapes";
import { TooExpensive } from "../step-budget";
import type { Read } from "../value";
import { compileExpression, unknownMember } from "./compile";
import { Failure, type FailureCode } from "./failure";
import { bool, typeOf } from "./operators";
import type { Expression, Run } from "./run";

export interface ClauseResult {
  source: string;
  /** The clause's value; null if the clause failed. A failed clause is treated as false. */
  value: boolean | null;
  error: { code: FailureCode; message: string } | null;
  /** The values that the clause read, in the order of first access. */
  read: Read[];
}

/** A clause of a rule. */
export class Condition {
  readonly json = JSON.stringify(this.source);

  private constructor(
    readonly source: string,
    private readonly evaluateExpression: Expression,
  ) {}

  /**
   * Parses a condition in CEL.
   * @param isChecked true if the condition is from a published version, whose types are known to match
   * @throws SourceError with the first problem
   */
  static parse(source: string, environment: Environment, shapes: Shapes, isChecked = false): Condition {
    return new Condition(source, compiled(source, "bool", environment, shapes, isChecked));
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

/** The expression in a rule's `once.per`, which evaluates to a string. */
export class OnceKey {
  private constructor(
    private readonly source: string,
    private readonly evaluateExpression: Expression,
  ) {}

  /** Parses a CEL expression the way `Condition.parse` does. */
  static parse(source: string, environment: Environment, shapes: Shapes, isChecked = false): OnceKey {
    return new OnceKey(source, compiled(source, "string", environment, shapes, isChecked));
  }

  /** @returns the string, or the failed clause */
  evaluate(run: Run): string | ClauseResult {
    const { source } = this;
    try {
      const text = this.evaluateExpression(run);
      if (typeof text !== "string")
        throw new Failure("type_mismatch", `The value is of type ${typeOf(text)}, not string.`);
      run.takeReads();
      return text;
    } catch (error) {
      return { source, value: null, error: failureOf(error), read: run.takeReads() };
    }
  }
}

/** @throws SourceError with the first problem */
function compiled(
  source: string,
  expected: "bool" | "string",
  environment: Environment,
  shapes: Shapes,
  isChecked: boolean,
): Expression {
  try {
    const parsed = environment.parse(source);
    const expression = compileExpression(parsed.ast, shapes);
    if (!isChecked) {
      // Type-checked last, because the library permanently stores all types that it checks.
      const { valid, type, error } = parsed.check();
      if (!valid) throw error;
      if (type !== expected && !type?.startsWith("dyn"))
        throw new SourceError(`is of type ${type}, not ${expected}`);
    }
    return expression;
  } catch (error) {
    throw sourceErrorOf(error, source, shapes);
  }
}

function failureOf(error: unknown): { code: FailureCode; message: string } {
  if (error instanceof TooExpensive) {
    return { code: "too_expensive", message: "The conditions of this decision take too many steps." };
  }
  if (error instanceof Failure) return { code: error.code, message: error.message };
  throw error;
}

/** Converts an error from the CEL library, whose message shows the position below its first line. */
function sourceErrorOf(error: unknown, source: string, shapes: Shapes): SourceError {
  if (error instanceof SourceError) return error;
  if (error instanceof RangeError) return new SourceError("is nested too deeply");
  if (!(error instanceof Error)) throw error;
  const { code, node, range } = error as { code?: string; node?: ASTNode; range?: { start: number } };
  const position: Position | undefined = range && positionAt(source, range.start);
  const [reason = ""] = error.message.split("\n");
  const unknown = code === "no_such_key" && node ? unknownMember(node, shapes) : undefined;
  return new SourceError(`is not valid: ${reason}`, position, unknown);
}
