import { optOutIntent } from "../../src/features/inbound/opt-out";

test.each([
  ["out", ["STOP", "stopall", "Unsubscribe.", "cancel", "“END”", "quit!", "ＳＴＯＰ"]],
  ["out", ["optout", "Opt out", "opt-out", "Revoke"]],
  ["in", ["START", "unstop", "Yes!"]],
  [
    undefined,
    ["Please stop by", "stop it", "restart", "Stop, please", "yes, please", "opt out of what?", ""],
  ],
])("the keywords for %s are whole messages", (intent, texts) => {
  for (const text of texts) expect([text, optOutIntent(text)]).toEqual([text, intent]);
});

test("a line's own words opt out in any case, with or without accents, and change no usual word", () => {
  const words = ["Arrêt", "abmelden", "iptal", "停止", "START"];
  for (const text of ["ARRET", "«arrêt»", "Abmelden.", "İPTAL", "停止", "stop"])
    expect([text, optOutIntent(text, words)]).toEqual([text, "out"]);
  expect(optOutIntent("start", words)).toBe("in");
  expect(optOutIntent("bitte abmelden", words)).toBeUndefined();
});
