import { InstanceKey } from "../../src/credentials/instance-key";
import {
  mintAccessToken,
  mintApiKey,
  mintInvitationToken,
  mintRefreshToken,
  mintSessionToken,
} from "../../src/credentials/token-format";
import { secretIn, withoutSecrets } from "../../src/dashboard/ui/secrets";

const { secret: key, hint } = mintApiKey("live");
const signing = InstanceKey.parse(InstanceKey.generate())?.deriveSigningSecret("id", 1) ?? "";
/** Each secret, with the part that is kept. */
const SECRETS = {
  agk: [key, hint],
  ags: [mintSessionToken(), ""],
  agi: [mintInvitationToken(), ""],
  agt: [mintAccessToken(), ""],
  agr: [mintRefreshToken(), ""],
  whsec: [signing, ""],
};

describe.each(Object.entries(SECRETS))(
  "of a pasted secret that starts with %s",
  (kind, [secret = "", left = ""]) => {
    test.each([
      ["alone", secret, left],
      ["in a header", `Authorization: Bearer ${secret}`, `Authorization: Bearer ${left}`],
      ["in quotes", `KEY="${secret}"`, `KEY="${left}"`],
      ["in an address", `?search=${encodeURIComponent(secret)}&state=active`, `?search=${left}&state=active`],
      ["twice", `${secret} ${secret}`, `${left} ${left}`],
      ["without its checksum", secret.slice(0, -6), left],
      ["in lower case", secret.toLowerCase(), left.toLowerCase()],
    ])("only the hint of a key is left: %s", (_, text, expected) => {
      expect(withoutSecrets(text)).toBe(expected);
      expect(secretIn(decodeURIComponent(text))).toMatchObject({ kind });
      expect(secretIn(decodeURIComponent(text))?.hint.toLowerCase()).toBe(left.toLowerCase());
    });
  },
);

test.each([
  "",
  hint,
  `${hint}_`,
  "ags_",
  "whsec_",
  "Anna Müller",
  "agk_live",
  "a_b_c",
  "https://example.com/?q=1%2B1",
])("“%s” contains no secret and is kept", (text) => {
  expect(withoutSecrets(text)).toBe(text);
  expect(secretIn(text)).toBeUndefined();
});
