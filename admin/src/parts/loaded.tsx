import { Skeleton } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { common } from "#texts/common.ts";
import { ProblemBox } from "./problem-box.tsx";

interface LoadedProps<Data> {
  query: UseQueryResult<Data>;
  children: (data: Data) => ReactNode;
}

/** The content of a query, its problem, or a placeholder while it is read. Old content stays while it is read again. */
export function Loaded<Data>({ query, children }: LoadedProps<Data>) {
  const { data, error, refetch } = query;
  if (data !== undefined) return <>{children(data)}</>;
  if (error) return <ProblemBox error={error} onRetry={() => void refetch()} />;
  return <Skeleton height={160} role="status" aria-label={common.loading} />;
}
