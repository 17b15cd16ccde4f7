import { Skeleton } from "@mantine/core";
import type { ReactNode } from "react";
import { common } from "#texts/common.ts";
import { nouns } from "#texts/nouns.ts";
import { t } from "#texts/pages/refusals.ts";
import type { Refusal } from "../../api/broker/refusals.ts";
import { sentence } from "../../texts/sentence.ts";
import { Ago, Status } from "../../ui/ui.ts";
import { explainedRefusal } from "../../words/explained-refusals.ts";
import { nameOfRefusal } from "../../words/refusals.ts";
import "./refusals.css";

interface RefusalCardsProps {
  /** Absent while they are read. */
  refusals: readonly Refusal[] | undefined;
  empty: ReactNode;
}

/** Refusals, each with its cause and cure. */
export function RefusalCards({ refusals, empty }: RefusalCardsProps) {
  if (refusals === undefined) return <Skeleton height={160} role="status" aria-label={common.loading} />;
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
  const { reason, revocationReason, occurrences, lastAt, deviceId, clientId } = refusal;
  const { cause, cure } = explainedRefusal(refusal);
  const name = nameOfRefusal(reason, revocationReason);
  return (
    <article className="refusal framed" aria-label={`${name}: ${deviceId ?? clientId ?? t.unknownClient}`}>
      <header className="refusal-top row">
        <Status of={["bad", name]} />
        {deviceId ? (
          <a className="refusal-who mono" href={`/devices/${encodeURIComponent(deviceId)}`}>
            {deviceId}
          </a>
        ) : (
          <span className="refusal-who mono">{clientId ?? t.unknownClient}</span>
        )}
        <span className="soft">
          {occurrences > 1 && t.last(nouns.time(occurrences))}
          <Ago at={lastAt} />
        </span>
      </header>
      <p>{sentence(cause)}</p>
      <p className="refusal-cure">
        <strong>{t.whatToDo}</strong>
        {sentence(cure)}
        {deviceId && (
          <>
            {" "}
            <a href={`/devices/${encodeURIComponent(deviceId)}/connect`}>{t.whatItsClientNeeds}</a>
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
    [t.reasonCode, reason],
    [t.clientId, clientId === deviceId ? undefined : clientId],
    [t.fromAddress, remoteAddress],
    [t.topic, topic],
    [t.serialNumber, serialNumber],
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
