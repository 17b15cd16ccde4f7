import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { common } from "#texts/common.ts";
import { nouns } from "#texts/nouns.ts";
import { t } from "#texts/pages/groups.ts";
import { t as parts } from "#texts/parts.ts";
import type { Group } from "../../../api/people/groups.ts";
import type { Replay } from "../../../api/people/on-call.ts";
import { peopleQuery } from "../../../api/people/people.ts";
import { Word } from "../../../parts/word.tsx";
import { numberText, unitText } from "../../../texts/number-text.ts";
import { DownloadButton } from "../../../ui/input/copy.tsx";
import { type Column, duration, Notice, Section, Table, Time } from "../../../ui/ui.ts";
import { SEVERITIES } from "../../../words/monitoring.ts";
import { afterText } from "../../../words/on-call.ts";
import { type NamedPage, pagesAsCsv } from "./pages-csv.ts";

type Outcome = Replay["present"];

/** The pages that are shown; the file has all that were listed. */
const SHOWN = 50;

interface ReplayResultProps {
  group: Group;
  replay: Replay;
  /** The length of the period. */
  days: number;
}

export function ReplayResult({ group, replay, days }: ReplayResultProps) {
  const people = useQuery(peopleQuery("")).data?.items ?? [];
  const names = new Map(people.map(({ id, name, email }) => [id, name || email]));
  const nameOf = (id: string) => names.get(id) ?? id;
  const pages = replay.pages.map((page) => ({ ...page, person: page.userId === null ? null : nameOf(page.userId) }));
  return (
    <>
      <Section title={t.outcome} lead={t.ofAnomalies(nouns.anomaly(replay.anomalies), unitText(days, "day"))}>
        {replay.cut && <Notice tone="warn">{t.cutShort}</Notice>}
        <Table label={t.outcome} columns={OUTCOMES} rows={rowsOf(replay)} rowKey={({ label }) => label} />
        <p className="soft">{t.notReplayed}</p>
      </Section>
      <People replay={replay} nameOf={nameOf} />
      {pages.length > 0 && (
        <Section
          title={t.pagesAsChanged}
          lead={pages.length > SHOWN && t.firstOf(SHOWN, numberText(pages.length))}
          actions={
            <DownloadButton
              name={`replay-${group.id}.csv`}
              content={() => pagesAsCsv(pages)}
              label={parts.downloadCsv}
            />
          }
        >
          <Table
            label={t.pagesAsChanged}
            columns={PAGES}
            rows={pages.slice(0, SHOWN)}
            rowKey={({ at, anomalyId, userId, afterMinutes }) => `${at} ${anomalyId} ${userId} ${afterMinutes}`}
          />
        </Section>
      )}
    </>
  );
}

interface OutcomeRow {
  label: string;
  present: ReactNode;
  changed: ReactNode;
}

const OUTCOMES: readonly Column<OutcomeRow>[] = [
  { title: t.outcome, main: true, cell: ({ label }) => label },
  { title: t.asItIs, numeric: true, cell: ({ present }) => present },
  { title: t.asChanged, numeric: true, cell: ({ changed }) => changed },
];

const MEASURES: readonly [label: string, of: (outcome: Outcome) => ReactNode][] = [
  [t.pagesToPeople, ({ pages }) => numberText(pages)],
  [t.pagesAtNight, ({ pagesAtNight }) => numberText(pagesAtNight)],
  [t.messagesToChannels, ({ channelPages }) => numberText(channelPages)],
  [t.anomaliesPaged, ({ paged }) => numberText(paged)],
  [t.anomaliesUnreached, ({ unreached }) => numberText(unreached)],
  [t.anomaliesHeld, ({ held }) => numberText(held)],
  [t.timeToFirstPage, ({ medianSeconds }) => (medianSeconds === null ? "–" : duration(Math.round(medianSeconds)))],
  [t.hoursUncovered, ({ uncoveredHours }) => numberText(uncoveredHours)],
];

function rowsOf({ present, changed }: Replay): OutcomeRow[] {
  return MEASURES.map(([label, of]) => ({ label, present: of(present), changed: of(changed) }));
}

interface PersonRow {
  userId: string;
  pages: [present: number, changed: number];
  nights: [present: number, changed: number];
}

/** Each person's pages under both configurations, most first. */
function People({ replay, nameOf }: { replay: Replay; nameOf: (id: string) => string }) {
  const both = [replay.present, replay.changed];
  const ids = [...new Set(both.flatMap(({ people }) => people.map(({ userId }) => userId)))];
  if (ids.length === 0) return null;
  const rows = ids.map((userId): PersonRow => {
    const [now, then] = both.map(({ people }) => people.find((person) => person.userId === userId));
    return {
      userId,
      pages: [now?.pages ?? 0, then?.pages ?? 0],
      nights: [now?.nights ?? 0, then?.nights ?? 0],
    };
  });
  const change = ([present, changed]: [number, number]) => `${numberText(present)} → ${numberText(changed)}`;
  const columns: readonly Column<PersonRow>[] = [
    { title: t.person, main: true, cell: ({ userId }) => nameOf(userId) },
    { title: t.pagesOfPerson, numeric: true, cell: ({ pages }) => change(pages) },
    { title: t.nightsWoken, numeric: true, cell: ({ nights }) => change(nights) },
  ];
  return (
    <Section title={t.peoplePaged}>
      <Table label={t.peoplePaged} columns={columns} rows={rows} rowKey={({ userId }) => userId} />
    </Section>
  );
}

const PAGES: readonly Column<NamedPage>[] = [
  { title: t.pagedAt, main: true, cell: ({ at }) => <Time at={at} /> },
  { title: t.person, cell: personOf },
  { title: common.device, cell: ({ deviceId, deviceName }) => <a href={`/devices/${deviceId}`}>{deviceName}</a> },
  { title: t.severity, cell: ({ severity }) => <Word of={SEVERITIES} value={severity} /> },
  { title: t.step, cell: ({ afterMinutes }) => afterText(afterMinutes) },
  { title: common.anomaly, cell: ({ anomalyId }) => <a href={`/anomalies/${anomalyId}`}>{common.anomaly}</a> },
];

function personOf({ result, person }: NamedPage): ReactNode {
  if (result === "nobody") return t.nobodyWasReached;
  return result === "deferred" ? t.deferredFor(person) : (person ?? t.aChannel);
}
