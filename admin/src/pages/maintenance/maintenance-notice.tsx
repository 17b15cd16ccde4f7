import { useQuery } from "@tanstack/react-query";
import { t } from "#texts/maintenance.ts";
import { windowsQuery } from "../../api/people/windows.ts";
import { useMay } from "../../parts/session.ts";
import { Notice, Time } from "../../ui/ui.ts";

const WEEK_MS = 7 * 86_400_000;
/** Further windows are on their own screen. */
const SHOWN = 3;

/** The maintenance windows in effect or within the next seven days: of a device, of a group, or all. */
export function MaintenanceNotice(of: { deviceId?: string; groupId?: string }) {
  const may = useMay("listMaintenanceWindows");
  const { data } = useQuery({ ...windowsQuery({ ...of, unended: "true" }), enabled: may });
  const soon = (data?.items ?? []).filter(
    ({ current, next }) => current ?? (next && Date.parse(next.startsAt) < Date.now() + WEEK_MS),
  );
  if (soon.length === 0) return null;
  return (
    <Notice tone={soon.some(({ current }) => current) ? "warn" : "neutral"}>
      {soon.slice(0, SHOWN).map(({ id, name, current, next }) => {
        const link = <a href="/maintenance">{name}</a>;
        return (
          <p key={id}>
            {current
              ? t.noticeNow(link, <Time at={current.endsAt} />)
              : t.noticeNext(link, <Time at={next!.startsAt} />)}
          </p>
        );
      })}
    </Notice>
  );
}
