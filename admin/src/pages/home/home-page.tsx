import { useQuery } from "@tanstack/react-query";
import { common } from "#texts/common.ts";
import { nouns } from "#texts/nouns.ts";
import { t } from "#texts/pages/home.ts";
import type { Schemas } from "../../api/client.ts";
import { overviewQuery } from "../../api/overview.ts";
import { coverageQuery } from "../../api/people/on-call.ts";
import { localMinute } from "../../parts/filter-values.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { useMay, useSession } from "../../parts/session.ts";
import { numberText } from "../../texts/number-text.ts";
import {
  Action,
  dayOfYear,
  localDay,
  Notice,
  Page,
  Panel,
  Section,
  type StepState,
  Steps,
  Tile,
  Tiles,
} from "../../ui/ui.ts";
import { UNFINISHED } from "../tickets/filters.ts";
import "./expiry-forecast.css";

/** The counts that need attention, the certificates that end, and the first steps of a new tenant. */
export default function HomePage() {
  const { tenant } = useSession();
  const mayConnect = useMay("createClaim");
  return (
    <Page
      title={t.home}
      heading={tenant.name}
      actions={mayConnect && <Action main label={common.connectADevice} href="/connect" />}
    >
      <Loaded query={useQuery(overviewQuery)}>{(overview) => <Overview overview={overview} />}</Loaded>
    </Page>
  );
}

function Overview({ overview }: { overview: Schemas["Overview"] }) {
  const { devices, openClaims } = overview;
  const { connectivity, certificates } = devices;
  const { role } = useSession().user;
  return (
    <>
      {devices.total === 0 && role !== "admin" && (
        <Notice tone="accent" title={t.youSeeNoDevice}>
          <p>{t.youSeeTheDevicesOf(<a href="/groups">{t.yourGroups}</a>)}</p>
        </Notice>
      )}
      <Guide overview={overview} />
      <NeedsPerson overview={overview} />
      <Section title={common.devices}>
        <Tiles>
          <Tile label={t.online} value={connectivity.online} href="/devices?connectivity=online" tone="good" />
          <Tile label={t.offline} value={connectivity.offline} href="/devices?connectivity=offline" tone="warn" />
          <Tile label={t.neverSeen} value={connectivity.never_seen} href="/devices?connectivity=never_seen" />
          <Tile label={t.all} value={devices.total} href="/devices" />
        </Tiles>
      </Section>
      <Section title={common.certificates}>
        <Tiles>
          <Tile
            label={t.expireSoon}
            value={certificates.expiring}
            href="/devices?certificateState=expiring"
            tone="warn"
          />
          <Tile
            label={t.renewalDue}
            value={certificates.renewal_due}
            href="/devices?certificateState=renewal_due"
            note={devices.renewalsOverdue > 0 ? t.overdue(numberText(devices.renewalsOverdue)) : undefined}
          />
          <FindingTiles findings={overview.findings} />
          <Tile label={t.expired} value={certificates.expired} href="/devices?certificateState=expired" tone="bad" />
          <Tile
            label={common.revoked}
            value={certificates.revoked}
            href="/devices?certificateState=revoked"
            tone="bad"
          />
          <Tile label={t.noCertificate} value={certificates.none} href="/devices?certificateState=none" />
          {openClaims !== null && <Tile label={t.openClaims} value={openClaims} href="/claims?status=pending" />}
        </Tiles>
      </Section>
      {devices.total > 0 && <ExpiryForecast weeks={devices.expiry} />}
    </>
  );
}

/** Counts the devices that lose their connection, or never publish, unless a person acts. */
function FindingTiles({ findings }: Pick<Schemas["Overview"], "findings">) {
  return (
    <>
      <Tile
        label={t.renewalsOverdue}
        value={findings.renewal_overdue}
        href="/findings?kind=renewal_overdue"
        tone="bad"
      />
      <Tile
        label={t.bundlesThatEndSoon}
        value={findings.bundle_expiring}
        href="/findings?kind=bundle_expiring"
        tone="warn"
      />
      <Tile
        label={t.publishNowhere}
        value={findings.publishes_nowhere}
        href="/findings?kind=publishes_nowhere"
        tone="warn"
      />
    </>
  );
}

function Guide({ overview }: { overview: Schemas["Overview"] }) {
  const mayConnect = useMay("createClaim");
  const { total, connectivity } = overview.devices;
  const connected = connectivity.online + connectivity.offline > 0;
  if (!mayConnect || connected) return null;
  const claimed = total > 0 || (overview.openClaims ?? 0) > 0;
  const second: StepState = claimed ? "now" : "later";
  return (
    <Section title={t.firstSteps}>
      <Panel>
        <Steps
          steps={[
            {
              title: t.sayWhatConnects,
              state: claimed ? "done" : "now",
              children: <p>{t.nameTheDeviceAndIts(<a href="/connect">{common.connectADevice}</a>)}</p>,
            },
            {
              title: t.connectIt,
              state: second,
              children: <p>{t.runTheCommandsOfOn(<a href="/connect">{common.connectADevice}</a>)}</p>,
            },
            { title: t.watchItsFirstMessage, state: "later" },
          ]}
        />
      </Panel>
    </Section>
  );
}

const DAY_MS = 86_400_000;

function NeedsPerson({ overview }: { overview: Schemas["Overview"] }) {
  const { anomalies, tickets, refusedLastDay, at } = overview;
  const { critical, major, minor, warning } = anomalies.open;
  const since = localMinute(Date.parse(at) - DAY_MS);
  return (
    <Section title={t.whatNeedsAPerson}>
      <Tiles>
        <Tile
          label={t.openAnomalies}
          value={critical + major + minor + warning}
          href="/anomalies?status=open&sort=-severity"
          tone={critical > 0 ? "bad" : "warn"}
          note={critical > 0 ? t.critical(numberText(critical)) : undefined}
        />
        <Tile label={common.acknowledged} value={anomalies.acknowledged} href="/anomalies?status=acknowledged" />
        <Tile label={t.ticketsOverdue} value={tickets.overdue} href="/tickets?overdue=true&sort=dueAt" tone="bad" />
        <Tile
          label={t.unassignedTickets}
          value={tickets.unassigned}
          href={`/tickets?assigneeUserId=none&status=${UNFINISHED}`}
          tone="warn"
        />
        <Tile label={t.refusedIn24H} value={refusedLastDay} href={`/refusals?from=${since}`} tone="warn" />
        <CoverageTile />
      </Tiles>
    </Section>
  );
}

/** The uncovered hours of the next seven days, linked to the week of the group with the most. */
function CoverageTile() {
  const { data } = useQuery(coverageQuery);
  const items = data?.items ?? [];
  const hours = items.reduce((sum, item) => sum + item.hours, 0);
  const first = items[0];
  return (
    <Tile
      label={t.uncoveredHours}
      value={data && Math.ceil(hours)}
      href={first ? `/shifts?group=${first.groupId}` : "/shifts"}
      tone="bad"
      note={items.length > 0 ? t.next7Days(nouns.group(items.length)) : t.next7Days2}
    />
  );
}

type Weeks = Schemas["Overview"]["devices"]["expiry"];

/**
 * The number of devices whose last certificate ends in each of the next weeks. Self-enrolled devices renew by
 * themselves; bundles do not.
 */
function ExpiryForecast({ weeks }: { weeks: Weeks }) {
  const most = Math.max(1, ...weeks.map(({ selfEnrolled, platform }) => selfEnrolled + platform));
  const bundles = weeks.reduce((sum, { platform }) => sum + platform, 0);
  return (
    <Section
      title={t.certificatesThatEndInThe}
      lead={t.selfEnrolledCertificatesAreRenewed(bundles > 0 ? t.mustBeReplacedByHand(nouns.bundle(bundles)) : "")}
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it on a phone */}
      <ol className="forecast list framed" tabIndex={0}>
        {weeks.map(({ from, selfEnrolled, platform }) => (
          <li key={from}>
            <span className="forecast-bars" aria-hidden="true">
              <Bar kind="platform" share={platform / most} />
              <Bar kind="self" share={selfEnrolled / most} />
            </span>
            <span className="forecast-count">
              {selfEnrolled + platform}
              <span className="hidden-text"> {t.fromOfThemBundles(localDay(from), platform)}</span>
            </span>
            <span className="forecast-week" aria-hidden="true">
              {dayOfYear(from)}
            </span>
          </li>
        ))}
      </ol>
    </Section>
  );
}

function Bar({ kind, share }: { kind: "platform" | "self"; share: number }) {
  return <span className={`forecast-${kind}`} style={{ height: `${share * 100}%` }} />;
}
