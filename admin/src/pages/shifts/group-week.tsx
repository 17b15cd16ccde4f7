import { NativeSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { Schemas } from "../../api/client.ts";
import { type Group, groupChoicesQuery } from "../../api/people/groups.ts";
import { coverageQuery, groupOnCallQuery } from "../../api/people/on-call.ts";
import { type Shift, shiftsQuery } from "../../api/people/shifts.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { plural } from "../../ui/display/format.ts";
import { Notice } from "../../ui/display/status.tsx";
import { Ago } from "../../ui/display/time.tsx";
import type { FilterValues } from "../../ui/input/filters.tsx";
import { Section } from "../../ui/page/page.tsx";
import { WeekView } from "./week-view.tsx";

interface GroupWeekProps {
  values: FilterValues;
  onChange: (changed: FilterValues) => void;
}

/** The next seven days of a group, and which groups have uncovered hours. */
export function GroupWeek({ values, onChange }: GroupWeekProps) {
  const groups = useQuery(groupChoicesQuery());
  const coverage = useQuery(coverageQuery);
  return (
    <Loaded query={groups}>
      {({ items }) => {
        const uncovered = coverage.data?.items ?? [];
        const chosen = values.group ?? uncovered[0]?.groupId ?? items[0]?.id;
        const group = items.find(({ id }) => id === chosen) ?? items[0];
        return (
          <>
            {coverage.data && <Uncovered coverage={coverage.data} />}
            {group && !coverage.isPending && (
              <Week group={group} groups={items} zone={values.zone} onChange={onChange} />
            )}
          </>
        );
      }}
    </Loaded>
  );
}

function Uncovered({ coverage: { items, more, groups } }: { coverage: Schemas["Coverage"] }) {
  if (items.length === 0) {
    if (groups === 0) return null;
    return (
      <Notice tone="good">
        {more ? `The newest ${plural(groups, "group")} that page` : "Every group that pages"} is covered at every hour
        of the next seven days.
      </Notice>
    );
  }
  return (
    <Notice
      tone="bad"
      title={`${plural(items.length, "group")} ${items.length === 1 ? "has" : "have"} uncovered hours`}
    >
      <ul className="week-uncovered">
        {items.map(({ groupId, name, hours, from }) => (
          <li key={groupId}>
            <a href={`/shifts?group=${groupId}`}>{name}</a>: {hours.toLocaleString()} h of the next seven days, the
            first <FirstGap from={from} />
          </li>
        ))}
      </ul>
      {more && <p>Of the groups, the newest {groups.toLocaleString()} were checked.</p>}
    </Notice>
  );
}

function FirstGap({ from }: { from: string }) {
  return Date.parse(from) <= Date.now() ? <strong>now</strong> : <Ago at={from} />;
}

interface WeekProps {
  group: Group;
  groups: readonly Group[];
  zone: string | undefined;
  onChange: (changed: FilterValues) => void;
}

function Week({ group, groups, zone, onChange }: WeekProps) {
  const query = useQuery(groupOnCallQuery(group.id));
  const shifts = useQuery(shiftsQuery({ limit: MOST }));
  const zones = zonesOf(group, shifts.data?.items ?? []);
  const shown = zone && zones.includes(zone) ? zone : zones[0]!;
  return (
    <Section
      title="The next seven days"
      lead={
        <>
          of <a href={`/groups/${group.id}`}>{group.name}</a>, from now on
        </>
      }
      actions={
        <>
          <NativeSelect
            aria-label="Group"
            value={group.id}
            data={groups.map(({ id, name }) => ({ value: id, label: name }))}
            onChange={(event) => onChange({ group: event.currentTarget.value, zone: undefined })}
          />
          <NativeSelect
            aria-label="Time zone"
            value={shown}
            data={zones}
            onChange={(event) => onChange({ zone: event.currentTarget.value })}
          />
        </>
      }
    >
      {group.escalation.length === 0 && (
        <Notice tone="warn" title="This group sends no pages">
          <p>
            It has no escalation, so every hour is uncovered.{" "}
            <a href={`/groups/${group.id}`}>Add one on the group's screen.</a>
          </p>
        </Notice>
      )}
      <Loaded query={shifts}>
        {() => (
          <Loaded query={query}>
            {(onCall) => <WeekView onCall={onCall} zone={shown} from={query.dataUpdatedAt} />}
          </Loaded>
        )}
      </Loaded>
    </Section>
  );
}

const MOST = 200;

/** The zones of the group's shifts first, then the reader's own and UTC. */
function zonesOf(group: Group, shifts: readonly Shift[]): readonly string[] {
  const own = shifts.filter(({ id }) => group.shiftIds.includes(id)).map(({ timeZone }) => timeZone);
  return [...new Set([...own, Intl.DateTimeFormat().resolvedOptions().timeZone, "UTC"])];
}
