import { Skeleton } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Failure } from "./failure";

/**
 * The result of a query; a placeholder while it loads, or the error.
 * @param height height of the placeholder (px)
 */
export function Result<Data>(props: {
  query: Pick<UseQueryResult<Data>, "data" | "error" | "refetch">;
  height?: number;
  children: (data: Data) => ReactNode;
}) {
  const { data, error, refetch } = props.query;
  if (data !== undefined) return props.children(data);
  if (error !== null) return <Failure error={error} retry={refetch} />;
  return <Skeleton height={props.height ?? 240} radius="lg" />;
}
