import { replyText } from "../../src/features/inbound/reply-text";

const QUOTE = ["> Your order is on its way.", ">", "> Acme"];

describe("the reply text of a mail", () => {
  test.each<[string, string[], string]>([
    ["all of it", ["Hello", "", "Anna"], "Hello\n\nAnna"],
    ["above a signature", ["STOP", "", "-- ", "Anna"], "STOP"],
    ["above a signature whose space is lost", ["STOP", "--", "Anna"], "STOP"],
    ["above a quote", ["STOP", "", ...QUOTE], "STOP"],
    ["above a quote and who wrote it", ["STOP", "", "On 21 Nov 2026, Acme wrote:", ...QUOTE], "STOP"],
    ["directly above both", ["STOP", "Am 21.11.26 schrieb Acme:", "", ...QUOTE], "STOP"],
    [
      "above two lines that say who wrote the quote",
      ["STOP", "", "On Sat, Nov 21, 2026 at 7:36 AM Acme", "<acme@example.com> wrote:", "", ...QUOTE],
      "STOP",
    ],
    ["above Outlook's line", ["STOP", "", "-----Original Message-----", "From: Acme"], "STOP"],
    ["above Outlook's rule", ["STOP", "", "_".repeat(32), "From: Acme"], "STOP"],
    ["above what comes first", ["STOP", "-- ", "Anna", "", ...QUOTE], "STOP"],
    ["nothing above a quote", [...QUOTE, "", "STOP"], ""],
    ["a list", ["I want:", "- one", "-- two"], "I want:\n- one\n-- two"],
    ["a comparison", ["STOP", "a > b"], "STOP\na > b"],
    ["what is above a quote, without a colon", ["STOP", "please", ...QUOTE], "STOP\nplease"],
    ["nothing", [], ""],
  ])("is %s", (_, lines, expected) => {
    for (const newline of ["\n", "\r\n"]) expect(replyText(lines.join(newline))).toBe(expected);
  });
});
