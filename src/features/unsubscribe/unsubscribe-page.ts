import { escapeHtml } from "../../common/escape-html";
import { plainPage } from "../../http/plain-page";

/** Returns a page that asks before unsubscribing, because programs also open links in e-mails. */
export const askingPage = (title: string): string =>
  plainPage(
    escapeHtml(title),
    `<p>Do you want to stop getting these messages?</p>
<form method="post"><button>Unsubscribe</button></form>`,
  );

/** Returns a page that says messages about a topic are no longer sent. */
export const unsubscribedPage = (title: string): string =>
  plainPage(
    escapeHtml(title),
    `<p role="status">You are unsubscribed. You will no longer get these messages.</p>`,
  );
