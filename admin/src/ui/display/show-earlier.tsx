import { Button } from "@mantine/core";

interface ShowEarlierProps {
  /** A query that reads one part after the other. */
  query: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => Promise<unknown> };
}

/** Reads the next part of a list that is shown newest first; nothing where there is none. */
export function ShowEarlier({ query: { hasNextPage, isFetchingNextPage, fetchNextPage } }: ShowEarlierProps) {
  if (!hasNextPage) return null;
  return (
    <div>
      <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
        Show earlier
      </Button>
    </div>
  );
}
