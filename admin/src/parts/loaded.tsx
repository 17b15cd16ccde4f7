import { Skeleton } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { ProblemBox } from "./problem-box.tsx";

interface LoadedProps<Data> {
  query: UseQueryResult<Data>;
  /** In place of the content while it is read, of the same size. */
  loading?: ReactNode;
  children: (data: Data) => ReactNode;
}

/** The content of a query; why it could not be read; what holds its place before. Old content stays while it is read again. */
export function Loaded<Data>({ query, loading, children }: LoadedProps<Data>) {
  const { data, error, refetch } = query;
  if (data !== undefined) return <>{children(data)}</>;
  if (error) return <ProblemBox error={error} onRetry={() => void refetch()} />;
  return <>{loading ?? <Skeleton height={160} role="status" aria-label="Loading" />}</>;
}
