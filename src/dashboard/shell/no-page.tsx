import { Link } from "wouter";
import { Empty, Page } from "../ui/page";

/** For an address without a page. */
export const NoPage = () => (
  <Page title="Page not found">
    <p>
      Check the URL or <Link href="/">go back to Overview</Link>.
    </p>
  </Page>
);

/** For a page that the member has no permission to see. */
export const NotPermitted = ({ title, section }: { title: string; section: string | undefined }) => (
  <Page section={section} title={title}>
    <Empty title="You don’t have access to this page">
      <p>
        Ask an administrator to run <code>npm run -s gateway -- members permit &lt;email&gt; --manage</code>
      </p>
    </Empty>
  </Page>
);
