import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ApiError, isAboutField, sentenceOf } from "../../src/dashboard/api/api-error";
import { REQUEST_TIMEOUT_MS } from "../../src/dashboard/api/execute";
import { SEND_TIMEOUT_MS } from "../../src/delivery/driver";

const problems = [
  { path: "input.newPassword", message: "must have 12 to 200 characters" },
  { path: "name", message: "must not be empty" },
];
const invalid = new ApiError("anything", "invalid_request", undefined, undefined, problems);

test("problems with an input are sentences that name the field as people do", () => {
  expect(sentenceOf(invalid)).toBe("New password must have 12 to 200 characters. Name must not be empty.");
});

test("an error is about the fields of its problems, whatever its message says", () => {
  expect(["newPassword", "name", "input", "password"].map((field) => isAboutField(invalid, field))).toEqual([
    true,
    true,
    false,
    false,
  ]);
  expect(isAboutField(new ApiError("name must not be empty", "invalid_request"), "name")).toBe(false);
  expect(isAboutField(new Error("name"), "name")).toBe(false);
});

test("an error without problems says its message", () => {
  expect(sentenceOf(new ApiError("The key is revoked.", "conflict"))).toBe("The key is revoked.");
});

const RULES = "../../src/features/";
test.each([
  ["scopes", "must contain at least one scope", "Choose at least one scope.", "api-keys/api-key.inputs.ts"],
  ["types", "must not be empty", "Choose at least one event.", "events/event.inputs.ts"],
  [
    "password",
    "is required: pass both user and password, or neither",
    "Enter a password, or clear the user name.",
    "lines/line-settings.inputs.ts",
  ],
  [
    "password",
    "is required with a user",
    "Enter a password, or clear the user name.",
    "lines/line-changes.ts",
  ],
  [
    "password",
    "must be passed again if the host, port or security changes",
    "Enter the password again: the mail server changed.",
    "lines/line-changes.ts",
  ],
])("a problem with %s, “%s”, is worded like the form", (field, message, sentence, file) => {
  const error = new ApiError("anything", "invalid_request", undefined, undefined, [
    { path: `input.email.${field}`, message },
  ]);
  expect(sentenceOf(error)).toBe(sentence);
  expect(readFileSync(join(__dirname, RULES, file), "utf8")).toContain(`"${message}`);
});

test("a problem names its field as the form does", () => {
  const error = new ApiError("anything", "invalid_request", undefined, undefined, [
    { path: "input.email.host", message: "must not be empty" },
  ]);
  expect(sentenceOf(error)).toBe("Mail server must not be empty.");
});

test("a request waits longer than a test e-mail can take, including the reply to its text", () => {
  expect(REQUEST_TIMEOUT_MS).toBeGreaterThan(2 * SEND_TIMEOUT_MS);
});
