import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { type PageOf, Pager } from "../../ui/display/pager.tsx";
import { DownloadCsv } from "../download-csv.tsx";
import { ProblemBox } from "../problem-box.tsx";

interface ListFrameProps<Row> {
  /** The page of the list that is shown. */
  read: Pick<UseQueryResult<PageOf & { items: readonly Row[] }>, "data" | "error" | "refetch">;
  /** What is listed: `device`, and its plural, where that is not the noun with an s. */
  of: string;
  many?: string;
  /** The address of the list, and what the screen asks it for. */
  path: string;
  query: object;
  onSkip: (skip: number) => void;
  /** The table; its rows are absent while they are being read. */
  children: (rows: readonly Row[] | undefined) => ReactNode;
}

/** A list below its filters: the table, or why it could not be read, its pages, and the whole of it as a file. */
export function ListFrame<Row>({ read, of, many, path, query, onSkip, children }: ListFrameProps<Row>) {
  const { data, error, refetch } = read;
  return (
    <>
      {error && !data ? <ProblemBox error={error} onRetry={() => void refetch()} /> : children(data?.items)}
      <Pager page={data} of={of} {...(many ? { many } : {})} onSkip={onSkip}>
        <DownloadCsv list={path} query={query} total={data?.total} totalIsAtLeast={data?.totalIsAtLeast} />
      </Pager>
    </>
  );
}
