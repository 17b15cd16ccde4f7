import { common } from "#texts/common.ts";
import { t } from "#texts/pages/anomalies.ts";
import type { Anomaly } from "../../api/monitoring/anomalies.ts";
import { DeviceLink } from "../../parts/links/device-link.tsx";
import { Word } from "../../parts/word.tsx";
import { Ago, type Column, reading } from "../../ui/ui.ts";
import { ANOMALY_STATUSES, SEVERITIES } from "../../words/monitoring.ts";

const DEVICE: Column<Anomaly> = { title: common.device, cell: ({ deviceId }) => <DeviceLink id={deviceId} /> };

/** Returns the columns of a list of anomalies. @param ofDevice hides the device column and turns sorting off */
export function anomalyColumns({ ofDevice = false } = {}): readonly Column<Anomaly>[] {
  const sorted = (sort: string) => (ofDevice ? {} : { sort });
  return [
    { title: common.what, main: true, cell: ({ message }) => message },
    {
      title: t.severity,
      ...sorted("severity"),
      cell: ({ severity }) => <Word of={SEVERITIES} value={severity} plain />,
    },
    { title: common.state, cell: ({ status }) => <Word of={ANOMALY_STATUSES} value={status} plain /> },
    ...(ofDevice ? [] : [DEVICE]),
    { title: t.value, cell: lastValue },
    { title: t.opened, ...sorted("openedAt"), cell: ({ openedAt }) => <Ago at={openedAt} /> },
    { title: t.lastObserved, ...sorted("lastObservedAt"), cell: ({ lastObservedAt }) => <Ago at={lastObservedAt} /> },
    { title: common.ticket, cell: ({ ticketId }) => <Ticket id={ticketId} /> },
  ];
}

function Ticket({ id }: { id: string | null }) {
  if (id === null) return <span className="soft">{common.none}</span>;
  return <a href={`/tickets/${id}`}>{t.show(<span className="hidden-text">{t.theTicket}</span>)}</a>;
}

/** Returns the last value that broke the rule, with its metric. */
function lastValue({ metric, value, limit }: Anomaly) {
  if (metric === null)
    return <span className="soft">{isLostRenewal({ metric, limit }) ? t.notRenewed : t.silent}</span>;
  return (
    <>
      {metric} {reading(value)}
    </>
  );
}

/** Whether the anomaly is a lost renewal: its limit is a time, that of a silent device a number of seconds. */
export function isLostRenewal({ metric, limit }: Pick<Anomaly, "metric" | "limit">): boolean {
  return metric === null && typeof limit === "string";
}
