import { escapeHtml } from "../../common/escape-html";
import { plainPage } from "../../http/plain-page";

/** Returns a page that asks for confirmation, because programs such as e-mail scanners open links as well. */
export const askingPage = (title: string): string =>
  plainPage(
    escapeHtml(title),
    `<p>Do you want to stop receiving these messages?</p>
<form method="post"><button>Unsubscribe</button></form>`,
  );

/** Returns a page that confirms the unsubscription from a topic. */
export const unsubscribedPage = (title: string): string =>
  plainPage(
    escapeHtml(title),
    `<p role="status">You are unsubscribed. You will no longer receive these messages.</p>`,
  );
