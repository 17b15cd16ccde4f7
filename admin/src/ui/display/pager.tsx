import type { ReactNode } from "react";
import { Action } from "../input/action.tsx";
import { plural } from "./format.ts";

export interface PageOf {
  total: number;
  /** Set if there may be more than `total`. */
  totalIsAtLeast?: boolean;
  skip: number;
  limit: number;
}

interface PagerProps {
  /** Absent while the list is read. */
  page: PageOf | undefined;
  /** The noun for one record: `device`. */
  of: string;
  /** Its plural, if that is not the noun with an s. */
  many?: string | undefined;
  onSkip: (skip: number) => void;
  /** The acts on the whole list. */
  children?: ReactNode;
}

/** The shown part of a list, and the ways to the others. */
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
          <Action small label="Previous" disabled={skip === 0} onClick={() => onSkip(Math.max(0, skip - limit))} />
          <Action small label="Next" disabled={last >= total} onClick={() => onSkip(skip + limit)} />
        </>
      )}
      {children}
    </nav>
  );
}
