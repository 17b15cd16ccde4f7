import type { Anomaly } from "../../api/monitoring/anomalies.ts";
import { DeviceLink } from "../../parts/links/device-link.tsx";
import { Word } from "../../parts/word.tsx";
import { reading } from "../../ui/display/format.ts";
import type { Column } from "../../ui/display/table.tsx";
import { Ago } from "../../ui/display/time.tsx";
import { ANOMALY_STATUSES, SEVERITIES } from "../../words/monitoring.ts";
import { isLostRenewal } from "./lost-renewal.ts";

/** The columns of a list of anomalies; `ofDevice`: all are of one device. */
export function anomalyColumns({ ofDevice = false } = {}): readonly Column<Anomaly>[] {
  return [
    { key: "what", title: "What", main: true, cell: ({ message }) => message },
    {
      key: "severity",
      title: "Severity",
      ...(ofDevice ? {} : { sort: "severity" }),
      cell: ({ severity }) => <Word of={SEVERITIES} value={severity} plain />,
    },
    { key: "status", title: "State", cell: ({ status }) => <Word of={ANOMALY_STATUSES} value={status} plain /> },
    ...(ofDevice ? [] : [DEVICE]),
    { key: "value", title: "Value", cell: lastValue },
    {
      key: "opened",
      title: "Opened",
      ...(ofDevice ? {} : { sort: "openedAt" }),
      cell: ({ openedAt }) => <Ago at={openedAt} />,
    },
    {
      key: "last",
      title: "Last observed",
      ...(ofDevice ? {} : { sort: "lastObservedAt" }),
      cell: ({ lastObservedAt }) => <Ago at={lastObservedAt} />,
    },
    {
      key: "ticket",
      title: "Ticket",
      cell: ({ ticketId }) =>
        ticketId ? (
          <a href={`/tickets/${ticketId}`}>
            Show<span className="hidden-text"> the ticket</span>
          </a>
        ) : (
          <span className="soft">none</span>
        ),
    },
  ];
}

const DEVICE: Column<Anomaly> = {
  key: "device",
  title: "Device",
  cell: ({ deviceId }) => <DeviceLink id={deviceId} />,
};

/** The last value that broke the rule, with its metric. */
function lastValue({ metric, value, limit }: Anomaly) {
  if (metric === null)
    return <span className="soft">{isLostRenewal({ metric, limit }) ? "not renewed" : "silent"}</span>;
  return (
    <>
      {metric} {reading(value)}
    </>
  );
}
