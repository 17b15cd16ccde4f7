import { useQuery } from "@tanstack/react-query";
import { common } from "#texts/common.ts";
import { nouns } from "#texts/nouns.ts";
import { t } from "#texts/pages/home.ts";
import { t as parts } from "#texts/parts.ts";
import type { Schemas } from "../../api/client.ts";
import { overviewQuery } from "../../api/overview.ts";
import { useWhyNoDevice } from "../../parts/list/use-why-no-device.ts";
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
  type TileProps,
  Tiles,
} from "../../ui/ui.ts";
import { UNFINISHED } from "../tickets/filters.ts";
import { NeedsYou } from "./needs-you.tsx";
import { PagingGuide } from "./paging-guide.tsx";
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

function NoDevice() {
  return (
    <Notice tone="warn" title={parts.youSeeNoDevice}>
      <p>{useWhyNoDevice()}</p>
    </Notice>
  );
}

function Overview({ overview }: { overview: Schemas["Overview"] }) {
  const { devices } = overview;
  const { connectivity } = devices;
  const { role } = useSession().user;
  const mayPage = useMay("createGroup") && connectivity.online + connectivity.offline > 0;
  return (
    <>
      {devices.total === 0 && role !== "admin" && <NoDevice />}
      <Guide overview={overview} />
      {mayPage && <PagingGuide />}
      <NeedsYou overview={overview} />
      <Monitoring overview={overview} />
      <CountedSection
        title={common.devices}
        tiles={[
          { label: t.online, value: connectivity.online, href: "/devices?connectivity=online", tone: "good" },
          { label: t.offline, value: connectivity.offline, href: "/devices?connectivity=offline", tone: "warn" },
          { label: t.neverSeen, value: connectivity.never_seen, href: "/devices?connectivity=never_seen" },
          { label: t.all, value: devices.total, href: "/devices" },
        ]}
      />
      <CountedSection title={common.certificates} tiles={certificateTiles(overview)} />
      {devices.expiry.some(({ selfEnrolled, platform }) => selfEnrolled + platform > 0) && (
        <ExpiryForecast weeks={devices.expiry} />
      )}
    </>
  );
}

function certificateTiles({ devices, openClaims }: Schemas["Overview"]): TileProps[] {
  const { certificates, renewalsOverdue } = devices;
  const inState = (state: keyof typeof certificates, label: string, tone?: TileProps["tone"]): TileProps => ({
    label,
    value: certificates[state],
    href: `/devices?certificateState=${state}`,
    ...(tone && { tone }),
  });
  return [
    inState("expiring", t.expireSoon, "warn"),
    {
      ...inState("renewal_due", t.renewalDue),
      note: renewalsOverdue > 0 ? t.overdue(numberText(renewalsOverdue)) : undefined,
    },
    inState("expired", t.expired, "bad"),
    inState("revoked", common.revoked, "bad"),
    inState("none", t.noCertificate),
    { label: t.openClaims, value: openClaims ?? 0, href: "/claims?status=pending" },
  ];
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

/** The counts of anomalies, tickets and refusals that are not zero. */
function Monitoring({ overview }: { overview: Schemas["Overview"] }) {
  const { anomalies, tickets } = overview;
  const { critical, major, minor, warning } = anomalies.open;
  return (
    <CountedSection
      title={common.anomalies}
      tiles={[
        {
          label: t.openAnomalies,
          value: critical + major + minor + warning,
          href: "/anomalies?status=open&sort=-severity",
          tone: critical > 0 ? "bad" : "warn",
          note: critical > 0 ? t.critical(numberText(critical)) : undefined,
        },
        { label: common.acknowledged, value: anomalies.acknowledged, href: "/anomalies?status=acknowledged" },
        {
          label: t.unassignedTickets,
          value: tickets.unassigned,
          href: `/tickets?assigneeUserId=none&status=${UNFINISHED}`,
          tone: "warn",
        },
      ]}
    />
  );
}

/** A section of counts, without those that are zero. It is absent if all are. */
function CountedSection({ title, tiles }: { title: string; tiles: readonly TileProps[] }) {
  const counted = tiles.filter(({ value }) => value !== 0);
  if (counted.length === 0) return null;
  return (
    <Section title={title}>
      <Tiles>
        {counted.map((tile) => (
          <Tile key={tile.label} {...tile} />
        ))}
      </Tiles>
    </Section>
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
