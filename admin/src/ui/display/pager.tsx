import { Button } from "@mantine/core";
import type { ReactNode } from "react";
import { plural } from "./format.ts";

export interface PageOf {
  total: number;
  /** There may be more than `total`. */
  totalIsAtLeast?: boolean;
  skip: number;
  limit: number;
}

interface PagerProps {
  /** Absent while the list is being read. */
  page: PageOf | undefined;
  /** What is listed: `device`. */
  of: string;
  /** Its plural, where that is not the noun with an s. */
  many?: string;
  onSkip: (skip: number) => void;
  /** What can be done with the whole list. */
  children?: ReactNode;
}

/** Which part of a list is shown, and the ways to the others. */
export function Pager({ page, of, many, onSkip, children }: PagerProps) {
  if (!page || page.total === 0) return null;
  const { total, skip, limit } = page;
  const all = `${page.totalIsAtLeast ? "at least " : ""}${plural(total, of, many)}`;
  const last = Math.min(skip + limit, total);
  return (
    <nav className="row" aria-label={`Pages of ${many ?? `${of}s`}`}>
      <span className="soft">
        {total > limit ? `${(skip + 1).toLocaleString()} to ${last.toLocaleString()} of ${all}` : all}
      </span>
      {total > limit && (
        <>
          <Button size="xs" variant="default" disabled={skip === 0} onClick={() => onSkip(Math.max(0, skip - limit))}>
            Previous
          </Button>
          <Button size="xs" variant="default" disabled={last >= total} onClick={() => onSkip(skip + limit)}>
            Next
          </Button>
        </>
      )}
      {children}
    </nav>
  );
}
