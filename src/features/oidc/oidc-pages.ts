import { escapeHtml } from "../../common/escape-html";
import { plainPage } from "../../http/plain-page";
import type { ProblemKind } from "./sign-in-problem";

/** The headings and texts for failures; they contain no data from the issuer. */
const TEXTS: Readonly<Record<ProblemKind | "busy" | "failed", readonly [heading: string, text: string]>> = {
  expired: [
    "This sign-in has expired",
    "It took too long, was already finished, or was started in another window.",
  ],
  denied: ["You are not signed in", "The sign-in was canceled."],
  rejected: ["You are not signed in", "The response from the sign-in service is not valid."],
  stale: [
    "You were not asked to sign in again",
    "The sign-in service used your earlier sign-in. Sign out there, and try again.",
  ],
  unknown: [
    "You are not a member",
    "No member or invitation has this account or its verified e-mail address. Ask an administrator to invite you, or to unlink an earlier account.",
  ],
  taken: [
    "You already have an account",
    "Your account or its e-mail address already belongs to a member. Ask for an invitation to another address.",
  ],
  unavailable: ["The sign-in service is not responding", "Try again in a few minutes."],
  busy: ["Too many sign-ins", "Try again in a few minutes."],
  failed: ["You are not signed in", "The sign-in failed. Try again in a few minutes."],
};

/** Returns the page for a failed sign-in, which links to the path `start`. */
export function problemPage(
  kind: keyof typeof TEXTS,
  issuer: { name: string; isOnly: boolean },
  start: string,
): string {
  const [heading, text] = TEXTS[kind];
  const again = `<a href="${escapeHtml(start)}">Sign in with ${escapeHtml(issuer.name)}</a>`;
  const password = issuer.isOnly ? "" : ` or <a href="/dashboard">with a password</a>`;
  return plainPage(heading, `<p role="status">${text}</p>\n<p>${again}${password}</p>`);
}
