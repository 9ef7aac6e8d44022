// One file, because expressions contain expressions: the function for each kind compiles its operands with `compile`.

import type { ASTNode } from "@marcbachmann/cel-js";
import { LocalFormats } from "../local-formats";
import { type Problem, positionAt, SourceError } from "../problem";
import { type Shapes, unknownName } from "../shapes";
import { StepBudget } from "../step-budget";
import { isObject, type ObjectValue, type Value } from "../value";
import { Failure } from "./failure";
import { type ConditionFunction, FUNCTIONS, literalProblem, METHODS } from "./functions";
import { isMacro, MACROS, macro } from "./macros";
import { at, bool, calculate, compare, isEqual, isIn, negate } from "./operators";
import type { Expression } from "./run";

/** Max nesting depth of a condition, well below the stack limit. */
const MAX_DEPTH = 200;

/** Names of the functions, by how they are called. */
const FUNCTION_NAMES: readonly string[] = [...namesOf(FUNCTIONS), "has"];
const METHOD_NAMES: readonly string[] = [...namesOf(METHODS), ...MACROS];

/** The context for compiling an expression. */
interface Place {
  shapes: Shapes;
  /** The variable of the enclosing macro. */
  variable?: string;
  depth: number;
}

/**
 * Compiles a parsed condition. The library cannot count steps, so the gateway evaluates conditions.
 * @throws SourceError if the condition uses an unsupported feature
 */
export const compileExpression = (ast: ASTNode, shapes: Shapes): Expression =>
  compile(ast, { shapes, depth: 0 });

/** Returns the unknown name in a path such as `contact.nme`, with the known ones; undefined if there is none. */
export function unknownMember(node: ASTNode, shapes: Shapes): Problem["unknown"] {
  const path = staticPath(node, { shapes, depth: 0 });
  return path && unknownName(shapes, path);
}

const reject = (node: ASTNode, message: string, unknown?: Problem["unknown"]) =>
  new SourceError(message, positionAt(node.input, node.start), unknown);

const rejectFunction = (node: ASTNode, name: string, known: readonly string[]) =>
  reject(
    node,
    `calls the unsupported function ${name}()`,
    // A known function has been called with the wrong number of arguments.
    known.includes(name) ? undefined : [name, known],
  );

function* namesOf(functions: ReadonlyMap<string, ConditionFunction>): Iterable<string> {
  for (const key of functions.keys()) yield key.split("/")[0] as string;
}

function compile(node: ASTNode, outer: Place): Expression {
  const place = { ...outer, depth: outer.depth + 1 };
  if (place.depth > MAX_DEPTH) throw reject(node, "is nested too deeply");
  switch (node.op) {
    case "value":
      return compileLiteral(node, node.args);
    case "id":
    case ".":
    case "[]":
      return compileAccess(node, place);
    case "call":
      return compileCall(node, node.args[0], node.args[1], place);
    case "rcall":
      return compileMethod(node, node.args[0], node.args[1], node.args[2], place);
    case "list":
      return compileList(node.args, place);
    case "?:":
      return compileTernary(node.args, place);
    case "||":
    case "&&":
      return compileLogic(node.op === "||", node.args, place);
    case "!_": {
      const operand = compile(node.args, place);
      return (run) => {
        run.steps.spend(1);
        return !bool(operand(run));
      };
    }
    case "-_": {
      // The smallest int64 is written as a negated literal that is one larger than the largest int64.
      if (node.args.op === "value" && node.args.args === 2n ** 63n) return () => -(2n ** 63n);
      const operand = compile(node.args, place);
      return (run) => {
        run.steps.spend(1);
        return negate(operand(run));
      };
    }
    case "map":
      throw reject(node, "uses a map, which is not supported");
    case ".?":
    case "[?]":
      throw reject(node, "uses an optional value, which is not supported");
    default:
      return compileOperator(node.op, node.args, place);
  }
}

function compileLiteral(node: ASTNode, value: unknown): Expression {
  if (value !== null && !["string", "number", "bigint", "boolean"].includes(typeof value)) {
    throw reject(node, "uses bytes or an unsigned integer, which are not supported");
  }
  if (typeof value === "bigint" && BigInt.asIntN(64, value) !== value)
    throw reject(node, "has an integer with more than 64 bits");
  return () => value as Value;
}

function compileList(items: readonly ASTNode[], place: Place): Expression {
  const compiled = items.map((item) => compile(item, place));
  return (run) => {
    run.steps.spend(1 + compiled.length);
    return compiled.map((item) => item(run));
  };
}

function compileTernary(
  [condition, then, otherwise]: readonly [ASTNode, ASTNode, ASTNode],
  place: Place,
): Expression {
  const [test, yes, no] = [compile(condition, place), compile(then, place), compile(otherwise, place)];
  return (run) => {
    run.steps.spend(1);
    return bool(test(run)) ? yes(run) : no(run);
  };
}

/** Compiles `||` or `&&`. As in CEL, an operand that decides the result does so even if the other fails. */
function compileLogic(
  deciding: boolean,
  [left, right]: readonly [ASTNode, ASTNode],
  place: Place,
): Expression {
  const [one, other] = [compile(left, place), compile(right, place)];
  return (run) => {
    run.steps.spend(1);
    const first = run.attempt(() => bool(one(run)));
    if (first === deciding) return deciding;
    const second = bool(other(run));
    if (second === deciding || typeof first === "boolean") return second;
    throw first;
  };
}

function compileOperator(
  operator: "==" | "!=" | "in" | "+" | "-" | "*" | "/" | "%" | "<" | "<=" | ">" | ">=",
  [left, right]: readonly [ASTNode, ASTNode],
  place: Place,
): Expression {
  const [one, other] = [compile(left, place), compile(right, place)];
  switch (operator) {
    case "==":
      return (run) => isEqual(one(run), other(run), run.steps);
    case "!=":
      return (run) => !isEqual(one(run), other(run), run.steps);
    case "in":
      return (run) => isIn(one(run), other(run), run.steps);
    case "<":
    case "<=":
    case ">":
    case ">=":
      return (run) => compare(operator, one(run), other(run), run.steps);
    default:
      return (run) => calculate(operator, one(run), other(run), run.steps);
  }
}

function compileCall(node: ASTNode, name: string, args: readonly ASTNode[], place: Place): Expression {
  const [argument] = args;
  if (name === "has" && argument?.op === ".") {
    return compileHas(argument, argument.args[0], argument.args[1], place);
  }
  const call = FUNCTIONS.get(`${name}/${args.length}`);
  if (!call) throw rejectFunction(node, name, FUNCTION_NAMES);
  const compiled = compileCallOf(call, args, place);
  if (argument?.op === "value") assertConvertible(node, call, argument.args as Value);
  return compiled;
}

function compileCallOf(call: ConditionFunction, args: readonly ASTNode[], place: Place): Expression {
  const compiled = args.map((each) => compile(each, place));
  return (run) => {
    run.steps.spend(1);
    return call(
      compiled.map((each) => each(run)),
      run.steps,
      run.formats,
    );
  };
}

/** @throws SourceError if a call with a literal, such as `duration("1d")`, always fails */
function assertConvertible(node: ASTNode, call: ConditionFunction, literal: Value): void {
  try {
    call([literal], new StepBudget(Number.MAX_SAFE_INTEGER), new LocalFormats());
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw reject(node, `always fails: ${error.message.replace(/\.$/, "")}`);
  }
}

/** Compiles `has(contact.name)`, which is true if the member exists and is not null. */
function compileHas(node: ASTNode, object: ASTNode, member: string, place: Place): Expression {
  const path = staticPath(node, place);
  const unknown = path && unknownName(place.shapes, path);
  if (unknown !== undefined)
    throw reject(node, `refers to ${path?.join(".")}, which does not exist`, unknown);
  const compiled = compile(object, place);
  return (run) => {
    run.steps.spend(1);
    const value = compiled(run);
    return isObject(value) && Object.hasOwn(value, member) && value[member] !== null;
  };
}

function compileMethod(
  node: ASTNode,
  name: string,
  receiver: ASTNode,
  args: readonly ASTNode[],
  place: Place,
): Expression {
  if (isMacro(name, args.length)) {
    if (place.variable !== undefined) throw reject(node, "has a macro inside another macro");
    const [variable, predicate] = args;
    if (variable?.op !== "id" || !predicate) throw reject(node, `${name}() needs the name of a variable`);
    const body = compile(predicate, { ...place, variable: variable.args });
    return macro(name, compile(receiver, place), body);
  }
  const call = METHODS.get(`${name}/${args.length}`);
  if (!call) throw rejectFunction(node, name, METHOD_NAMES);
  const problem = literalProblem(
    name,
    args.map(({ op, args }) => (op === "value" ? args : undefined)),
  );
  if (problem !== undefined) throw reject(node, problem);
  return compileCallOf(call, [receiver, ...args], place);
}

/** Returns the path from a name to a member, such as `contact.tags[0]`; undefined unless all segments are literals. */
function staticPath(node: ASTNode, place: Place): [string, ...(string | number)[]] | undefined {
  if (node.op === "id") {
    return node.args !== place.variable && Object.hasOwn(place.shapes, node.args) ? [node.args] : undefined;
  }
  if (node.op !== "." && node.op !== "[]") return undefined;
  const member = typeof node.args[1] === "string" ? node.args[1] : literalKey(node.args[1]);
  const path = member === undefined ? undefined : staticPath(node.args[0], place);
  return path && member !== undefined ? [...path, member] : undefined;
}

function literalKey({ op, args }: ASTNode): string | number | undefined {
  if (op !== "value") return undefined;
  return typeof args === "bigint" ? Number(args) : typeof args === "string" ? args : undefined;
}

function compileAccess(node: ASTNode, place: Place): Expression {
  const path = staticPath(node, place);
  if (path) return compileRead(path);
  if (node.op === "id") {
    if (node.args === place.variable) {
      return (run) => {
        run.steps.spend(1);
        return run.item;
      };
    }
    const known = [...Object.keys(place.shapes), ...(place.variable === undefined ? [] : [place.variable])];
    throw reject(node, `refers to ${node.args}, which does not exist`, [node.args, known]);
  }
  if (node.op !== "." && node.op !== "[]") throw reject(node, "is not a member");
  const object = compile(node.args[0], place);
  const [, member] = node.args;
  const key: Expression = typeof member === "string" ? () => member : compile(member, place);
  return (run) => {
    run.steps.spend(1);
    return at(object(run), key(run));
  };
}

/** Reads a member of the decision's data and records it for the explanation. */
function compileRead([root, ...members]: [string, ...(string | number)[]]): Expression {
  const paths = members.map((_, end) => textOf([root, ...members.slice(0, end + 1)]));
  return (run) => {
    run.steps.spend(1 + members.length);
    let value: Value = (run.roots as ObjectValue)[root] ?? null;
    let path = root;
    // Avoids an iterator, because V8 would allocate one for each value that a rule reads.
    for (let index = 0; index < members.length; index++) {
      if (value === null) {
        run.record(path, null);
        throw new Failure("null_value", `${path} is null.`);
      }
      value = at(value, members[index] as string | number);
      path = paths[index] ?? path;
    }
    run.record(path, value);
    return value;
  };
}

const textOf = ([root, ...members]: readonly (string | number)[]): string =>
  `${root}${members.map((each) => (/^[A-Za-z_]\w*$/.test(String(each)) ? `.${each}` : `[${JSON.stringify(each)}]`)).join("")}`;
