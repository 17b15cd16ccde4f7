import type { ReactNode } from "react";
import { t } from "#texts/ui.ts";
import type { Counted } from "../../texts/counted.ts";
import { numberText } from "../../texts/number-text.ts";
import { Action } from "../input/action.tsx";

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
  /** The noun for the records. */
  of: Counted;
  onSkip: (skip: number) => void;
  /** The acts on the whole list. */
  children?: ReactNode;
}

/** The shown part of a list, and the ways to the others. */
export function Pager({ page, of, onSkip, children }: PagerProps) {
  if (!page || page.total === 0) return null;
  const { total, skip, limit } = page;
  const all = page.totalIsAtLeast ? t.atLeast(of(total)) : of(total);
  const last = Math.min(skip + limit, total);
  return (
    <nav className="row" aria-label={t.pagesOf(of.many)}>
      <span className="soft">{total > limit ? t.toOf(numberText(skip + 1), numberText(last), all) : all}</span>
      {total > limit && (
        <>
          <Action small label={t.previous} disabled={skip === 0} onClick={() => onSkip(Math.max(0, skip - limit))} />
          <Action small label={t.next} disabled={last >= total} onClick={() => onSkip(skip + limit)} />
        </>
      )}
      {children}
    </nav>
  );
}
