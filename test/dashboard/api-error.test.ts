import { ApiError, isAboutField, sentenceOf } from "../../src/dashboard/api/api-error";

const problems = [
  { path: "input.newPassword", message: "must have 12 to 200 characters" },
  { path: "name", message: "must not be empty" },
];
const invalid = new ApiError("anything", "invalid_request", undefined, undefined, problems);

test("problems of an input are sentences that name the field as people do", () => {
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
