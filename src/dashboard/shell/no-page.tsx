import { Link } from "wouter";
import type { Permission } from "../api/documents.generated";
import { AskForPermission } from "../members/managers";
import { Failure } from "../ui/failure";
import { Empty, Page } from "../ui/page";

/** Shown for URLs that match no page. */
export const NoPage = () => (
  <Page title="Page not found">
    <p>
      Check the URL or <Link href="/">go back to Overview</Link>.
    </p>
  </Page>
);

/** Shown for a page whose code cannot be loaded. */
export const FailedToLoad = (props: { title: string; section: string | undefined }) => (
  <Page section={props.section} title={props.title}>
    <Failure error={undefined} retry={() => location.reload()} alone />
  </Page>
);

/** Shown for a page that the member may not see. */
export const NotPermitted = (props: {
  title: string;
  section: string | undefined;
  permission: Permission | undefined;
}) => (
  <Page section={props.section} title={props.title}>
    <Empty title="You don’t have access to this page">
      <p>
        <AskForPermission permission={props.permission} />
      </p>
    </Empty>
  </Page>
);
