import { applyDecorators } from "./apply-decorators";
import { getOrCreate } from "./get-or-create";
import { JsonSchema } from "./json-schema";

type Package = typeof import("class-validator");

/** Loads one file of class-validator, whose index takes a fifth of a second and 9 MB, mostly for phone numbers. */
const load = <Name extends keyof Package>(folder: string, name: Name, file: string = name): Package[Name] =>
  require(`class-validator/cjs/${folder}/${file}`)[name];

export const ArrayNotEmpty = load("decorator/array", "ArrayNotEmpty");
export const IsEnum = load("decorator/typechecker", "IsEnum");
export const IsIn = load("decorator/common", "IsIn");
export const IsOptional = load("decorator/common", "IsOptional");
export const Length = load("decorator/string", "Length");
export const MaxLength = load("decorator/string", "MaxLength");
export const ValidateBy = load("decorator/common", "ValidateBy");
export const ValidateIf = load("decorator/common", "ValidateIf");
export const ValidateNested = load("decorator/common", "ValidateNested");
export const Validator = load("validation", "Validator");

/**
 * Caches the rules of each class, because class-validator searches the rules of all classes on every validation. The
 * cache cannot be stale: the rules are complete once all modules are loaded, and no validation selects rules by group.
 */
function rememberRules(): void {
  const storage = load("metadata", "getMetadataStorage", "MetadataStorage")();
  const rulesOf = storage.getTargetValidationMetadatas.bind(storage);
  const known = new Map<unknown, ReturnType<typeof rulesOf>>();
  storage.getTargetValidationMetadatas = (target, ...options) =>
    getOrCreate(known, target, () => rulesOf(target, ...options));
}
rememberRules();

const ArrayMaxSizeOnly = load("decorator/array", "ArrayMaxSize");

/** Limits the length of a list, and declares the limit for REST and OpenAPI. */
export const ArrayMaxSize = (...[max, options]: Parameters<typeof ArrayMaxSizeOnly>): PropertyDecorator =>
  applyDecorators(ArrayMaxSizeOnly(max, options), JsonSchema({ maxItems: max }));

/** Validates that a value passes a named test. */
export const Satisfies = (name: string, validate: (value: unknown) => boolean, message: string) =>
  ValidateBy({ name, validator: { validate, defaultMessage: () => message } });

/** True if a string is an e-mail address. */
export const isEmail = load("decorator/string", "isEmail", "IsEmail");
