import { holdsToken, redactTokens } from "../../src/credentials/redact-tokens";
import { mintApiKey, mintSessionToken } from "../../src/credentials/token-format";

const key = mintApiKey("dev");
const session = mintSessionToken();
const digits = (count: number) => "A".repeat(count);

test.each([
  ["alone", ""],
  ["after the start of a key", `agk_dev_${digits(12)}_${digits(27)}`],
  ["after text that looks like a key except for its checksum", `agk_dev_${digits(12)}_${digits(28)}`],
  ["after a key that shares its first letter", `agk_dev_${digits(12)}_${digits(25)}`],
  ["after two of them", `agk_x_${digits(12)}_${digits(25)}agk_live_${digits(12)}_${digits(25)}`],
  ["after the start of a session token", `ags_${digits(46)}`],
])("a key or session token %s is found and removed", (_, before) => {
  for (const [token, shown] of [
    [key.secret, `${key.hint}_[redacted]`],
    [session, "ags_[redacted]"],
  ]) {
    const text = `${before}${token} and more`;
    expect(holdsToken(text)).toBe(true);
    expect(redactTokens(text)).toBe(`${before}${shown} and more`);
    expect(redactTokens(`${text}, ${text}`)).toBe(`${before}${shown} and more, ${before}${shown} and more`);
  }
});

test("a string that only resembles a token is kept", () => {
  for (const text of ["agk_dev_", `agk_dev_${digits(12)}_${digits(28)}`, `ags_${digits(49)}`, "no token"]) {
    expect(holdsToken(text)).toBe(false);
    expect(redactTokens(text)).toBe(text);
  }
});
