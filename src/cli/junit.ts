import { escapeHtml } from "../common/escape-html";
import type { TestReport } from "../features/decisions/configuration-tests/run-tests";

/** Characters that XML 1.0 cannot contain, even escaped. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are removed
const NOT_IN_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

/** Escapes a string as an attribute value, including line breaks, which parsers would otherwise turn into spaces. */
const attribute = (text: string): string =>
  escapeHtml(text.replace(NOT_IN_XML, "�")).replaceAll("\n", "&#10;").replaceAll("\r", "&#13;");

/** Formats the results of a document's tests as JUnit XML. */
export function junitOf(file: string, { total, failed, results }: TestReport): string {
  const name = attribute(file);
  const cases = results.map(({ testId, differences }) => {
    const failures = differences.map(
      ({ path, message }) => `<failure message="${attribute(`${path}: ${message}`)}"/>`,
    );
    return `    <testcase classname="${name}" name="${attribute(testId)}">${failures.join("")}</testcase>`;
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
