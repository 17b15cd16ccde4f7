import { Skeleton } from "@mantine/core";
import type { ReactNode } from "react";
import type { Refusal } from "../../api/broker/refusals.ts";
import { sentence } from "../../parts/problem-box.tsx";
import { Ago, plural, Status } from "../../ui/ui.ts";
import { nameOfRefusal } from "../../words/refusals.ts";
import "./refusals.css";

interface RefusalCardsProps {
  /** Absent while they are read. */
  refusals: readonly Refusal[] | undefined;
  empty: ReactNode;
}

/** Refusals, each with its cause and cure. */
export function RefusalCards({ refusals, empty }: RefusalCardsProps) {
  if (refusals === undefined) return <Skeleton height={160} role="status" aria-label="Loading" />;
  return (
    <>
      {refusals.length === 0 && empty}
      <div className="stack">
        {refusals.map((refusal) => (
          <RefusalCard key={refusal.id} refusal={refusal} />
        ))}
      </div>
    </>
  );
}

function RefusalCard({ refusal }: { refusal: Refusal }) {
  const { reason, revocationReason, occurrences, lastAt, cause, cure, deviceId, clientId } = refusal;
  const name = nameOfRefusal(reason, revocationReason);
  return (
    <article className="refusal framed" aria-label={`${name}: ${deviceId ?? clientId ?? "unknown client"}`}>
      <header className="refusal-top row">
        <Status of={["bad", name]} />
        {deviceId ? (
          <a className="refusal-who mono" href={`/devices/${encodeURIComponent(deviceId)}`}>
            {deviceId}
          </a>
        ) : (
          <span className="refusal-who mono">{clientId ?? "unknown client"}</span>
        )}
        <span className="soft">
          {occurrences > 1 && `${plural(occurrences, "time")}, last `}
          <Ago at={lastAt} />
        </span>
      </header>
      <p>{sentence(cause)}</p>
      <p className="refusal-cure">
        <strong>What to do: </strong>
        {sentence(cure)}
        {deviceId && (
          <>
            {" "}
            <a href={`/devices/${encodeURIComponent(deviceId)}/connect`}>What its client needs</a>
          </>
        )}
      </p>
      <Traces refusal={refusal} />
    </article>
  );
}

/** The known facts about the client, for a search in its own log. */
function Traces({ refusal }: { refusal: Refusal }) {
  const { reason, deviceId, clientId, remoteAddress, topic, serialNumber, fingerprintSha256 } = refusal;
  const traces = [
    ["reason", reason],
    ["client id", clientId === deviceId ? undefined : clientId],
    ["from", remoteAddress],
    ["topic", topic],
    ["serial number", serialNumber],
    ["SHA-256", fingerprintSha256],
  ].filter(([, value]) => value !== undefined);
  return (
    <p className="refusal-traces soft">
      {traces.map(([label, value]) => (
        <span key={label}>
          {label} <span className="mono">{value}</span>
        </span>
      ))}
    </p>
  );
}
