import { escapeHtml } from "../../common/escape-html";
import { plainPage } from "../../http/plain-page";

/** Asks before unsubscribing, because programs also open the links in e-mails. */
export const askingPage = (title: string): string =>
  plainPage(
    escapeHtml(title),
    `<p>Do you want to stop getting these messages?</p>
<form method="post"><button>Unsubscribe</button></form>`,
  );

/** Says that messages about a topic are no longer sent. */
export const unsubscribedPage = (title: string): string =>
  plainPage(
    escapeHtml(title),
    `<p role="status">You are unsubscribed. You will no longer get these messages.</p>`,
  );
