import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { Failure } from "./failure";
import { Empty, LoadingPage, Page } from "./page";

/**
 * The page of one inbox item, including its loading, error and not-found states.
 * @param of the kind of item, such as `contact`; its list is at `/contacts`
 * @param item null if it does not exist, undefined while it is loading
 * @param missing the possible reason why it does not exist
 */
export function FoundPage<Item>(props: {
  of: string;
  query: Pick<UseQueryResult, "error" | "refetch">;
  item: Item | null | undefined;
  missing?: string;
  children: (item: Item) => ReactNode;
}) {
  const { of, query, item, missing } = props;
  if (item != null) return props.children(item);
  const title = `${of.charAt(0).toUpperCase()}${of.slice(1)}`;
  if (item === undefined && query.error === null) return <LoadingPage title={title} section={`${title}s`} />;
  return (
    <Page title={title} section={`${title}s`}>
      {item === undefined ? (
        <Failure error={query.error} retry={query.refetch} />
      ) : (
        <Empty title={`This ${of} doesn’t exist`}>
          <p>
            {missing} See <Link href={`/${of}s`}>all {of}s</Link>.
          </p>
        </Empty>
      )}
    </Page>
  );
}
