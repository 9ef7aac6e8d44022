// One file, because filters, operators and names are compiled into each other's operands.

import {
  type Expression as ParsedExpression,
  type Value as ParsedValue,
  type PropertyAccessToken,
  type Token,
  TokenKind,
  TypeGuards,
} from "liquidjs";
import { holds } from "../conditions/operators";
import { type Problem, SourceError } from "../problem";
import { isList, isObject, type Value } from "../value";
import { FILTER_NAMES, filterOf } from "./filters";
import type { HtmlScanner } from "./html-scanner";
import type { TextRun } from "./text-run";
import { TextError, textOf } from "./text-value";

/** A template part that evaluates to a value; unknown names are null if `isLenient` is true. */
type TextExpression = (run: TextRun, isLenient: boolean) => Value;

/** Values that represent `empty` and `blank` in comparisons. */
const EMPTY = { empty: true } as const;
const BLANK = { blank: true } as const;

/** A name read by a template, and its position. */
export interface ReadName {
  path: (string | number)[];
  token: Token;
}

/** The context for compiling a template. */
export interface TextPlace {
  /** The variables of the enclosing loops. */
  variables: readonly string[];
  /** Collects the names read by the template. */
  names: ReadName[];
  /** Collects the plural forms in the template. */
  plurals: PluralForms[];
  depth: number;
  /** Checks the template's output, if it is HTML. */
  html?: HtmlScanner | undefined;
}

/** The plural forms passed to one use of the filter `plural`. */
export interface PluralForms {
  token: Token;
  names: readonly string[];
}

/** @returns the error for a problem in part of a template */
export function textSourceError(token: Token, message: string, unknown?: Problem["unknown"]): SourceError {
  const [line = 1, column = 1] = token.getPosition();
  return new SourceError(message, { line, column }, unknown);
}

/** Compiles a value with its filters. */
export function compileValue(value: ParsedValue, token: Token, place: TextPlace): TextExpression {
  const before = place.names.length;
  const initial = compileParsed(value.initial, token, place);
  const link = place.names.slice(before).find(({ path: [root] }) => root === "unsubscribeUrl");
  if (link && value.filters.length > 0)
    throw textSourceError(link.token, "changes unsubscribeUrl, which is known only when the message is sent");
  const isDefaulted = value.filters[0]?.name === "default";
  return value.filters.reduce<TextExpression>(
    (input, { name, args }) => {
      const filter = filterOf(name);
      if (!filter) throw textSourceError(token, `uses the unsupported filter ${name}`, [name, FILTER_NAMES]);
      const ordered = args.flatMap((arg) => (Array.isArray(arg) ? [] : [arg]));
      const named = args.flatMap((arg) => (Array.isArray(arg) ? [[arg[0] ?? "", arg[1]] as const] : []));
      if (ordered.length < filter.min || ordered.length > filter.max) {
        throw textSourceError(token, `passes ${ordered.length} arguments to the filter ${name}`);
      }
      const unknown = named.find(([key]) => !filter.names?.includes(key));
      if (unknown)
        throw textSourceError(token, `passes the named argument ${unknown[0]} to the filter ${name}`, [
          unknown[0],
          filter.names ?? [],
        ]);
      const problem = filter.problemOf?.(
        ordered.map((arg) =>
          TypeGuards.isQuotedToken(arg) || TypeGuards.isNumberToken(arg) ? arg.content : undefined,
        ),
        named.map(([key]) => key),
      );
      if (problem) throw textSourceError(token, problem);
      if (name === "plural")
        place.plurals.push({
          token,
          names: named.length === 0 ? ["one", "other"] : named.map(([key]) => key),
        });
      const compiled = ordered.map((arg) => compileOperand(arg, token, place));
      const compiledNamed = named.map(([key, arg]) => {
        if (!arg) throw textSourceError(token, `passes no value for ${key} to the filter ${name}`);
        return [key, compileOperand(arg, token, place)] as const;
      });
      return (run, isLenient) => {
        run.steps.spend(1);
        const result = input(run, isLenient);
        return filter.run(
          result,
          compiled.map((arg) => arg(run, false)),
          run,
          Object.fromEntries(compiledNamed.map(([key, arg]) => [key, arg(run, false)])),
        );
      };
    },
    (run, isLenient) => initial(run, isLenient || isDefaulted),
  );
}

/** Compiles an expression from the library's postfix notation. */
function compileParsed({ postfix }: ParsedExpression, token: Token, place: TextPlace): TextExpression {
  const stack: TextExpression[] = [];
  const pop = (): TextExpression => {
    const operand = stack.pop();
    if (!operand) throw textSourceError(token, "has an operator without a value");
    return operand;
  };
  for (const each of postfix) {
    if (!TypeGuards.isOperatorToken(each)) {
      stack.push(compileOperand(each, token, place));
      continue;
    }
    const right = pop();
    if (each.operator === "not") {
      stack.push((run, isLenient) => {
        run.steps.spend(1);
        return !isTruthy(right(run, isLenient));
      });
      continue;
    }
    stack.push(compileOperator(each.operator, pop(), right));
  }
  const result = pop();
  if (stack.length > 0) throw textSourceError(token, "has two values without an operator between them");
  return result;
}

function compileOperator(operator: string, left: TextExpression, right: TextExpression): TextExpression {
  return (run, isLenient) => {
    run.steps.spend(1);
    const one = left(run, isLenient);
    if (operator === "and" && !isTruthy(one)) return false;
    if (operator === "or" && isTruthy(one)) return true;
    const other = right(run, isLenient);
    switch (operator) {
      case "and":
      case "or":
        return isTruthy(other);
      case "==":
        return isSame(one, other, run);
      case "!=":
        return !isSame(one, other, run);
      case "contains":
        return contains(one, other, run);
      default:
        return compare(operator, one, other, run);
    }
  };
}

export const isTruthy = (value: Value): boolean => value !== null && value !== false;

/** @throws TextError for two lists or objects, because comparing them could take a long time */
export function isSame(one: Value, other: Value, run: TextRun): boolean {
  if (isMark(one)) return matches(one, other, run);
  if (isMark(other)) return matches(other, one, run);
  if (isCompound(one) && isCompound(other)) throw new TextError("lists and objects cannot be compared");
  if (typeof one === "string") run.steps.spendText(one.length);
  return one === other;
}

const isCompound = (value: Value): boolean => typeof value === "object" && value !== null;

const isMark = (value: Value): value is typeof EMPTY | typeof BLANK => value === EMPTY || value === BLANK;

/** True if a value matches `empty` or `blank`. */
function matches(mark: typeof EMPTY | typeof BLANK, value: Value, run: TextRun): boolean {
  if (isMark(value)) return false;
  if (typeof value === "string") {
    run.steps.spendText(value.length);
    return (mark === BLANK ? value.trim() : value) === "";
  }
  if (isList(value)) return value.length === 0;
  if (!isObject(value)) return mark === BLANK && (value === null || value === false);
  const { length } = Object.keys(value);
  run.steps.spend(length);
  return length === 0;
}

function contains(collection: Value, item: Value, run: TextRun): boolean {
  if (isList(collection)) return collection.some((each) => !isCompound(each) && isSame(each, item, run));
  if (typeof collection !== "string" || isCompound(item)) return false;
  const part = textOf(item, run.steps);
  run.steps.spendSearch(collection.length, part.length);
  return collection.includes(part);
}

function compare(operator: string, one: Value, other: Value, run: TextRun): boolean {
  if (one === null || other === null) return false;
  if (typeof one === "string" && typeof other === "string") {
    run.steps.spendText(Math.min(one.length, other.length));
    return holds(operator, one, other);
  }
  if (typeof one === "number" && typeof other === "number") return holds(operator, one, other);
  throw new TextError("only two numbers or two strings can be compared with < or >");
}

/** Compiles a literal or a name. */
export function compileOperand(operand: Token, token: Token, place: TextPlace): TextExpression {
  if (TypeGuards.isLiteralToken(operand)) {
    const value = literalOf(operand.literal);
    return () => value;
  }
  if (TypeGuards.isQuotedToken(operand) || TypeGuards.isNumberToken(operand)) {
    const value = operand.content;
    return () => value;
  }
  if (TypeGuards.isPropertyAccessToken(operand)) return compileName(operand, place);
  // The library would loop forever on a range of numbers above 2^53.
  if (operand.kind === TokenKind.Range) throw textSourceError(token, "uses a range, which is not supported");
  throw textSourceError(token, "has a value that cannot be read");
}

function literalOf(literal: string): Value {
  if (literal === "empty") return EMPTY;
  if (literal === "blank") return BLANK;
  return literal === "true" ? true : literal === "false" ? false : null;
}

function compileName(access: PropertyAccessToken, place: TextPlace): TextExpression {
  const [first, ...rest] = access.props;
  if (access.variable || !first || !TypeGuards.isWordToken(first)) {
    throw textSourceError(access, "has a value that does not start with a name");
  }
  const root = first.content;
  const members = rest.map((prop) => {
    if (TypeGuards.isWordToken(prop)) return /^\d+$/.test(prop.content) ? Number(prop.content) : prop.content;
    if (TypeGuards.isQuotedToken(prop) || TypeGuards.isNumberToken(prop)) return prop.content;
    throw textSourceError(access, "computes the name of a member");
  });
  const isVariable = place.variables.includes(root);
  if (!isVariable) place.names.push({ path: [root, ...members], token: access });
  const name = [root, ...members].join(".");
  return (run, isLenient) => {
    run.steps.spend(1 + members.length);
    let value: Value | undefined = isVariable ? run.variables.get(root) : run.roots[root];
    for (const member of members) value = value == null ? value : memberOf(value, member);
    if (value !== undefined || isLenient) return value ?? null;
    throw new TextError(`${name} does not exist`);
  };
}

function memberOf(value: Value, member: string | number): Value | undefined {
  if (isList(value)) {
    if (typeof member === "number") return value.at(member);
    if (member === "size") return value.length;
    return member === "first" ? value.at(0) : member === "last" ? value.at(-1) : undefined;
  }
  if (typeof value === "string") return member === "size" ? value.length : undefined;
  return isObject(value) && Object.hasOwn(value, member) ? value[member] : undefined;
}
