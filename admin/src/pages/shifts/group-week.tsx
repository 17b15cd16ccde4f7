import { NativeSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { common } from "#texts/common.ts";
import { nouns } from "#texts/nouns.ts";
import { t } from "#texts/pages/shifts.ts";
import type { Schemas } from "../../api/client.ts";
import { type Group, groupChoicesQuery } from "../../api/people/groups.ts";
import { coverageQuery, groupOnCallQuery, type OnCall } from "../../api/people/on-call.ts";
import { type Shift, shiftsQuery } from "../../api/people/shifts.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { LOCALE } from "../../texts/locale.ts";
import { numberText, unitText } from "../../texts/number-text.ts";
import { Ago, type FilterValues, Notice, ownZone, Section, Status } from "../../ui/ui.ts";
import { type DutyEntry, type Entry, type WeekDay, weekOf } from "./week.ts";
import "./week.css";

/** The next seven days of a group, and the groups with uncovered hours. */
export function GroupWeek({ values, onChange }: { values: FilterValues; onChange: (changed: FilterValues) => void }) {
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
        {t.isCoveredAtEveryHour(more ? t.theNewestThatPage(nouns.group(groups)) : t.everyGroupThatPages)}
      </Notice>
    );
  }
  return (
    <Notice tone="bad" title={t.groupsWithUncoveredHours(items.length)}>
      <ul className="week-uncovered">
        {items.map(({ groupId, name, hours, from }) => (
          <li key={groupId}>
            {t.hOfTheNextSeven(
              <a href={`/shifts?group=${groupId}`}>{name}</a>,
              unitText(hours, "hour"),
              <FirstGap from={from} />,
            )}
          </li>
        ))}
      </ul>
      {more && <p>{t.ofTheGroupsTheNewest(numberText(groups))}</p>}
    </Notice>
  );
}

function FirstGap({ from }: { from: string }) {
  return Date.parse(from) <= Date.now() ? <strong>{t.now}</strong> : <Ago at={from} />;
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
      title={t.theNextSevenDays}
      lead={t.ofFromNowOn(<a href={`/groups/${group.id}`}>{group.name}</a>)}
      actions={
        <>
          <NativeSelect
            aria-label={common.group}
            value={group.id}
            data={groups.map(({ id, name }) => ({ value: id, label: name }))}
            onChange={(event) => onChange({ group: event.currentTarget.value, zone: undefined })}
          />
          <NativeSelect
            aria-label={t.timeZone}
            value={shown}
            data={zones}
            onChange={(event) => onChange({ zone: event.currentTarget.value })}
          />
        </>
      }
    >
      {group.escalation.length === 0 && (
        <Notice tone="warn" title={t.thisGroupSendsNoPages}>
          <p>
            {t.itHasNoEscalationSo}
            <a href={`/groups/${group.id}`}>{t.addOneOnTheGroups}</a>
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

/** Returns the zones of the group's shifts, then the reader's own and UTC. */
function zonesOf(group: Group, shifts: readonly Shift[]): readonly string[] {
  const own = shifts.filter(({ id }) => group.shiftIds.includes(id)).map(({ timeZone }) => timeZone);
  return [...new Set([...own, ownZone(), "UTC"])];
}

/** The duties and the uncovered hours of the next seven days: as a picture of each day, and in words. */
function WeekView({ onCall, zone, from }: { onCall: OnCall; zone: string; from: number }) {
  return (
    <div className="week">
      <div className="week-hours" aria-hidden="true">
        {["00", "06", "12", "18", "24"].map((hour) => (
          <span key={hour}>{hour}</span>
        ))}
      </div>
      <ol className="week-days list">
        {weekOf(onCall, zone, from).map((day) => (
          <Day key={day.date} day={day} />
        ))}
      </ol>
      <p className="week-legend row soft">
        {t.onDuty(<span className="week-sample week-sample-duty" aria-hidden="true" />)}
        {t.uncovered(<span className="week-sample week-gap" aria-hidden="true" />)}
      </p>
    </div>
  );
}

const DATE = new Intl.DateTimeFormat(LOCALE, { timeZone: "UTC", weekday: "short", day: "numeric", month: "short" });

function Day({ day }: { day: WeekDay }) {
  const { date, duties, gaps, outside, rows } = day;
  return (
    <li className="week-day">
      <h3 className="week-date">{DATE.format(date)}</h3>
      <div className="week-track" style={{ height: `${rows * 30 + 2}px` }} aria-hidden="true">
        {outside.map(({ left, width }) => (
          <div key={left} className="week-block week-outside" style={placed(left, width)} />
        ))}
        {gaps.map(({ left, width, times }) => (
          <div key={left} className="week-block week-gap" style={placed(left, width)} title={t.uncovered2(times)} />
        ))}
        {duties.map((duty) => (
          <Bar key={duty.key} duty={duty} />
        ))}
      </div>
      <InWords duties={duties} gaps={gaps} />
    </li>
  );
}

function Bar({ duty }: { duty: DutyEntry }) {
  const { left, width, row, shiftName, times } = duty;
  const people = peopleText(duty);
  return (
    <div
      className={`week-block week-bar${duty.people.length === 0 ? " week-bar-empty" : ""}`}
      style={{ ...placed(left, width), top: `${row * 30 + 3}px` }}
      title={`${times} ${shiftName}: ${people}`}
    >
      {shiftName} · {people}
    </div>
  );
}

/** The words instead of the picture: for phones, whose bars are too short for names, and for screen readers. */
function InWords({ duties, gaps }: { duties: readonly DutyEntry[]; gaps: readonly Entry[] }) {
  const entries = [
    ...duties.map((duty) => ({ ...duty, text: `${duty.shiftName}: ${peopleText(duty)}`, gap: false })),
    ...gaps.map((gap) => ({ ...gap, key: t.gap(gap.left), text: t.uncovered3, gap: true })),
  ].toSorted((one, other) => one.left - other.left);
  return (
    <ul className="week-words list">
      {entries.map(({ key, times, text, gap }) => (
        <li key={key}>
          <span className="nowrap">{times}</span> {gap ? <Status of={["bad", text]} plain /> : text}
        </li>
      ))}
    </ul>
  );
}

function peopleText({ people }: DutyEntry): string {
  return people.length > 0 ? people.join(", ") : t.noActiveUser;
}

function placed(left: number, width: number) {
  return { left: `${left}%`, width: `${width}%` };
}
