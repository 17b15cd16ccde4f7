import { useQuery } from "@tanstack/react-query";
import { REFUSALS, refusalsQuery, type Symptom, symptomsQuery } from "../../api/broker/refusals.ts";
import { negatable, PERIOD, periodOf } from "../../parts/filter-values.ts";
import { Records } from "../../parts/list/records.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { sentence } from "../../parts/problem-box.tsx";
import { useMay } from "../../parts/session.ts";
import { useListState } from "../../parts/url-state.ts";
import { Empty, type Filter, Page, Section } from "../../ui/ui.ts";
import { nameOfRefusal, REFUSAL_REASONS } from "../../words/refusals.ts";
import { RefusalCards } from "./refusal-card.tsx";
import "./refusals.css";

const FILTERS: readonly Filter[] = [
  { kind: "text", name: "deviceId", label: "Device id", placeholder: "the whole id", maxLength: 128 },
  { kind: "text", name: "fingerprintSha256", label: "Fingerprint of the certificate", maxLength: 128 },
  { kind: "choice", name: "reason", label: "Reason", options: Object.entries(REFUSAL_REASONS), not: true },
  ...PERIOD,
];
/** A refusal is not an event of the live stream. */
const POLL_MS = 2000;

/** The clients that the broker refused, each with cause and cure, and the symptoms at devices. */
export default function RefusalsPage() {
  const list = useListState();
  const { values, skip } = list;
  const asked = {
    deviceId: values.deviceId,
    fingerprintSha256: hexOf(values.fingerprintSha256),
    ...negatable(values, "reason"),
    ...periodOf(values),
  };
  const filtered = FILTERS.some(({ name }) => values[name]);
  const mayUnknown = useMay("listUnknownRefusals");
  return (
    <Page
      title="Why can't it connect?"
      lead="Every client that the broker refused, with the cause and what to do about it. New ones appear by themselves."
    >
      <Records
        label="Refusals"
        of="refusal"
        list={list}
        filters={FILTERS}
        query={useQuery({ ...refusalsQuery({ ...asked, skip }), refetchInterval: POLL_MS })}
        table={(rows, empty) => (
          <RefusalCards refusals={rows} empty={filtered ? <NoneMatches empty={empty} /> : empty} />
        )}
        csv={[REFUSALS, asked]}
        empty={<Empty title="The broker has refused no client." />}
      />
      <Section
        title="What is seen at the device"
        lead="When the broker has recorded nothing, the client did not reach it, or enrollment refused it."
      >
        {mayUnknown && (
          <p>
            A client whose certificate is of another authority, or that has none, belongs to no tenant:{" "}
            <a href="/platform?of=refusals">refused clients of the platform</a>.
          </p>
        )}
        <Loaded query={useQuery(symptomsQuery)}>{({ items }) => <Symptoms symptoms={items} />}</Loaded>
      </Section>
    </Page>
  );
}

function NoneMatches({ empty }: { empty: React.ReactNode }) {
  return (
    <>
      {empty}
      <p className="soft">
        If the device does not connect all the same, it does not reach the broker: check address, port and network.
      </p>
    </>
  );
}

/** Accepts fingerprints as tools print them: `9B:1F:…`. */
function hexOf(fingerprint: string | undefined): string | undefined {
  return fingerprint?.replaceAll(/[:\s]/g, "").toLowerCase() || undefined;
}

/** The symptoms that a person sees at a device, each with its cause and cure. */
function Symptoms({ symptoms }: { symptoms: readonly Symptom[] }) {
  return (
    <div className="symptoms">
      {symptoms.map(({ symptom, cause, cure, reasons }) => (
        <details key={symptom}>
          <summary>{sentence(symptom)}</summary>
          <p>{sentence(cause)}</p>
          <p>
            <strong>What to do: </strong>
            {sentence(cure)}
          </p>
          {reasons.length > 0 && (
            <p>
              Show refusals:{" "}
              {reasons.map((reason, at) => (
                <span key={reason}>
                  {at > 0 && ", "}
                  <a href={`/refusals?reason=${reason}`}>{nameOfRefusal(reason).toLowerCase()}</a>
                </span>
              ))}
            </p>
          )}
        </details>
      ))}
    </div>
  );
}
