import { useQuery } from "@tanstack/react-query";
import { common } from "#texts/common.ts";
import { t } from "#texts/pages/broker/trace.ts";
import { t as screens } from "#texts/screens.ts";
import { startTrace, TRACE, type TraceEntry, traceQuery } from "../../api/broker/client-traces.ts";
import { Runs } from "../../parts/act/use-act.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { usePathParams } from "../../parts/use-params.ts";
import { numberText } from "../../texts/number-text.ts";
import { sentence } from "../../texts/sentence.ts";
import { type Column, Empty, Page, Status, Table, Time, useNow } from "../../ui/ui.ts";

const POLL_MS = 1000;

type Kind = TraceEntry["kind"];

const KINDS: Readonly<Record<Kind, readonly ["good" | "bad" | "warn" | "neutral" | "accent", string]>> = {
  connected: ["good", common.connected],
  disconnected: ["neutral", t.disconnected],
  published: ["good", t.published],
  partly_stored: ["warn", t.partlyStored],
  not_stored: ["bad", t.notStored],
  publish_refused: ["bad", t.publishRefused],
  subscribed: ["good", t.subscribed],
  subscribe_refused: ["bad", t.subscribeRefused],
  delivered: ["accent", t.delivered],
  omitted: ["warn", t.omitted],
};

const COLUMNS: readonly Column<TraceEntry>[] = [
  { title: common.what, main: true, cell: ({ kind }) => <Status plain of={KINDS[kind]} /> },
  { title: common.when, cell: ({ at }) => <Time at={at} /> },
  { title: t.details, cell: (entry) => <Detail of={entry} /> },
];

/** Shows the acts of a device or MQTT client, and starts a trace of it. */
export default function TracePage() {
  const { id: clientId } = usePathParams<"id">();
  const query = useQuery({
    ...traceQuery(clientId),
    refetchInterval: ({ state }) => (isRunning(state.data?.endsAt, Date.now()) ? POLL_MS : false),
  });
  const running = isRunning(query.data?.endsAt, useNow());
  const start = (
    <Runs
      main={!running}
      label={running ? t.watchAgain : t.watch}
      run={() => startTrace(clientId)}
      refreshes={[TRACE]}
    />
  );
  return (
    <Page
      title={t.live(clientId)}
      lead={t.lead(<a href={`/refusals?deviceId=${encodeURIComponent(clientId)}`}>{screens.refusedClients}</a>)}
      back={{ href: "/refusals", label: screens.refusedClients }}
      actions={start}
    >
      <Loaded query={query}>
        {({ endsAt, entries }) =>
          endsAt === null ? (
            <Empty title={t.notWatched} />
          ) : (
            <div className="stack">
              <p role="status">{running ? t.watchedUntil(<Time at={endsAt} />) : t.endedAt(<Time at={endsAt} />)}</p>
              <Table label={t.entries} columns={COLUMNS} rows={entries} dense empty={<Empty title={t.nothingYet} />} />
            </div>
          )
        }
      </Loaded>
    </Page>
  );
}

function isRunning(endsAt: string | null | undefined, now: number): boolean {
  return endsAt != null && now < Date.parse(endsAt);
}

/** The topic with the length of the message, and the address or reason. */
function Detail({ of: { kind, topic, bytes, detail } }: { of: TraceEntry }) {
  return (
    <span className="row">
      {topic !== null && <span className="mono">{topic}</span>}
      {bytes !== null && <span className="soft">{t.bytes(numberText(bytes))}</span>}
      {detail !== null && <span>{textOf(kind, detail)}</span>}
    </span>
  );
}

function textOf(kind: Kind, detail: string): string {
  if (kind === "omitted") return t.moreInThisSecond(numberText(Number(detail)));
  return kind === "connected" ? detail : sentence(detail);
}
