import { t } from "#texts/ui.ts";
import { Action } from "../input/action.tsx";

export interface ShowEarlierProps {
  /** A query that reads one part after the other. */
  query: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => Promise<unknown> };
}

/** Reads the next part of a list that is shown newest first; hidden if there is none. */
export function ShowEarlier({ query: { hasNextPage, isFetchingNextPage, fetchNextPage } }: ShowEarlierProps) {
  if (!hasNextPage) return null;
  return (
    <div>
      <Action label={t.showEarlier} loading={isFetchingNextPage} onClick={() => void fetchNextPage()} />
    </div>
  );
}
