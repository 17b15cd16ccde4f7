import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { t } from "#texts/duties.ts";
import { createFeed, DUTIES, deleteFeed, feedsQuery } from "../../api/people/on-call.ts";
import { useAct } from "../../parts/act/use-act.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { useRefresh } from "../../parts/use-refresh.ts";
import { Action, DialogActions, Secret, Time } from "../../ui/ui.ts";

interface CalendarFeedProps {
  /** `null` for one's own duties. */
  groupId: string | null;
  onClose: () => void;
}

/** Creates, renews and ends the secret address of a calendar, in a dialog. */
export default function CalendarFeed({ groupId, onClose }: CalendarFeedProps) {
  const query = useQuery(feedsQuery);
  const [url, setUrl] = useState<string>();
  const { act, busy, problem } = useAct();
  const refresh = useRefresh();
  const create = () =>
    act(async () => {
      setUrl((await createFeed(groupId)).url);
      await refresh(DUTIES);
    });
  const end = (id: string) =>
    act(async () => {
      await deleteFeed(id);
      await refresh(DUTIES);
    });
  return (
    <div className="stack">
      <p>{t.calendarText}</p>
      {url !== undefined && <Secret label={t.address} value={url} />}
      <Loaded query={query}>
        {({ items }) => {
          const feed = items.find((each) => each.groupId === groupId);
          return (
            <>
              {feed && url === undefined && <p>{t.hasAddress(<Time at={feed.createdAt} />)}</p>}
              {problem}
              <DialogActions>
                <Action label={t.close} onClick={onClose} />
                {url === undefined && feed && (
                  <Action label={t.endAddress} loading={busy} onClick={() => void end(feed.id)} />
                )}
                {url === undefined && (
                  <Action
                    main
                    label={feed ? t.renewAddress : t.createAddress}
                    loading={busy}
                    onClick={() => void create()}
                  />
                )}
              </DialogActions>
            </>
          );
        }}
      </Loaded>
    </div>
  );
}
