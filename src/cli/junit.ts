import { escapeHtml } from "../common/escape-html";
import type { TestReport } from "../features/decisions/configuration-tests/run-tests";

/** Characters that XML 1.0 cannot contain, even escaped. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
const NOT_IN_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

/** A text as the value of an attribute; line breaks would become spaces. */
const attribute = (text: string): string =>
  escapeHtml(text.replace(NOT_IN_XML, "�")).replaceAll("\n", "&#10;").replaceAll("\r", "&#13;");

/** The results of a document's tests in the format of JUnit. */
export function junitOf(file: string, { total, failed, results }: TestReport): string {
  const name = attribute(file);
  const cases = results.map(({ id, differences }) => {
    const failures = differences.map(
      ({ path, message }) => `<failure message="${attribute(`${path}: ${message}`)}"/>`,
    );
    return `    <testcase classname="${name}" name="${attribute(id)}">${failures.join("")}</testcase>`;
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    "<testsuites>",
    `  <testsuite name="${name}" tests="${total}" failures="${failed}">`,
    ...cases,
    "  </testsuite>",
    "</testsuites>",
    "",
  ].join("\n");
}
