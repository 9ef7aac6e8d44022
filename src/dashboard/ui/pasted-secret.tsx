import { Link } from "wouter";
import { type PastedSecret, pastedKeyHref } from "./secrets";

const APPLICATION = "If others may have seen it, disconnect the application on the API keys page.";

/** The description of each kind of secret, and how to invalidate it. */
const WORDS: Readonly<Record<PastedSecret["kind"], { it: string; end: string }>> = {
  agk: { it: "an API key", end: "Revoke it if others may have seen it." },
  ago: { it: "an API key", end: "Revoke it if others may have seen it." },
  ags: { it: "a session token", end: "If others may have seen it, end the session." },
  agi: { it: "an invitation token", end: "If others may have seen it, withdraw the invitation." },
  agt: { it: "an application’s access token", end: APPLICATION },
  agr: { it: "an application’s refresh token", end: APPLICATION },
  whsec: {
    it: "a signing secret",
    end: "If others may have seen it, rotate it on the line’s or webhook’s page.",
  },
};

/** Warns that a secret was pasted where it does not belong, and says how to invalidate it. */
export const SecretNote = ({
  secret,
  className,
}: {
  secret: PastedSecret;
  className?: string | undefined;
}) => (
  <p role="alert" className={className}>
    That was {WORDS[secret.kind].it}. {secret.hint === "" ? "It" : "Everything but the prefix"} was removed
    before anything was sent. {WORDS[secret.kind].end}{" "}
    {secret.hint !== "" && <Link href={pastedKeyHref(secret.hint)}>Find the key</Link>}
  </p>
);
