import { Link } from "wouter";
import { Empty, Page } from "../ui/page";

/** For an address that the dashboard does not have. */
export const NoPage = () => (
  <Page title="There is no such page">
    <p>
      The address may be mistyped, or the page has moved. <Link href="/">Go to the overview</Link>
    </p>
  </Page>
);

/** For a page that the member may not see. */
export const NotPermitted = ({ title, what }: { title: string; what: string }) => (
  <Page section="Settings" title={title}>
    <Empty title="This page is for members who manage the organization">
      <p>
        To {what}, you need the permission <code>config:manage</code>. Somebody with access to the server can
        give it to you: <code>npm run -s gateway -- members grant &lt;e-mail&gt; config:manage</code>
      </p>
    </Empty>
  </Page>
);
