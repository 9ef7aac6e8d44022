import { optOutIntent } from "../../src/features/inbound/opt-out";

test.each([
  [
    "out",
    [
      "STOP",
      "stopall",
      "Unsubscribe.",
      "cancel",
      "“END”",
      "quit!",
      "ＳＴＯＰ",
      "optout",
      "Opt out",
      "opt-out",
      "Revoke",
    ],
  ],
  ["in", ["START", "unstop", "Yes!"]],
  [undefined, ["Please stop by", "yes, please", "opt out of what?", ""]],
])("the keywords for %s are whole messages", (intent, texts) => {
  for (const text of texts) expect([text, optOutIntent(text)]).toEqual([text, intent]);
});
