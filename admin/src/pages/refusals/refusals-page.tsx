import { useQuery } from "@tanstack/react-query";
import { common } from "#texts/common.ts";
import { symptoms as texts } from "#texts/explanations/symptoms.ts";
import { withinSentence } from "#texts/language.ts";
import { nouns } from "#texts/nouns.ts";
import { t } from "#texts/pages/refusals.ts";
import { REFUSALS, refusalsQuery, type Symptom, symptomsQuery } from "../../api/broker/refusals.ts";
import { negatable, PERIOD, periodOf } from "../../parts/filter-values.ts";
import { Glossary } from "../../parts/guides/glossary.tsx";
import { Records } from "../../parts/list/records.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { useMay } from "../../parts/session.ts";
import { useListState } from "../../parts/url-state.ts";
import { sentence } from "../../texts/sentence.ts";
import { Empty, type Filter, Page, Section } from "../../ui/ui.ts";
import { nameOfRefusal, REFUSAL_REASONS } from "../../words/refusals.ts";
import { RefusalCards } from "./refusal-card.tsx";
import "./refusals.css";

const FILTERS: readonly Filter[] = [
  { kind: "text", name: "deviceId", label: common.deviceId, placeholder: common.theWholeId, maxLength: 128 },
  { kind: "text", name: "fingerprintSha256", label: t.fingerprintOfTheCertificate, maxLength: 128 },
  { kind: "choice", name: "reason", label: t.reason, options: Object.entries(REFUSAL_REASONS), not: true },
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
    <Page title={t.whyCantItConnect} lead={t.everyClientThatTheBroker}>
      <Glossary />
      <Records
        label={common.refusals}
        of={nouns.refusal}
        list={list}
        filters={FILTERS}
        query={useQuery({ ...refusalsQuery({ ...asked, skip }), refetchInterval: POLL_MS })}
        table={(rows, empty) => (
          <RefusalCards refusals={rows} empty={filtered ? <NoneMatches empty={empty} /> : empty} />
        )}
        csv={[REFUSALS, asked]}
        empty={<Empty title={t.theBrokerHasRefusedNo} />}
      />
      <Section title={t.whatIsSeenAtThe} lead={t.whenTheBrokerHasRecorded}>
        {mayUnknown && (
          <p>
            {t.aClientWhoseCertificateIs}
            <a href="/platform?of=refusals">{t.refusedClientsOfThePlatform}</a>.
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
      <p className="soft">{t.ifTheDeviceDoesNot}</p>
    </>
  );
}

/** Accepts fingerprints as tools print them: `9B:1F:…`. */
function hexOf(fingerprint: string | undefined): string | undefined {
  return fingerprint?.replaceAll(/[:\s]/g, "").toLowerCase() || undefined;
}

/** Returns the symptom in the language of the page; in the service's own words if it is of a later version. */
function translated(symptom: Symptom): Symptom {
  return { ...symptom, ...texts[symptom.code] };
}

/** The symptoms that a person sees at a device, each with its cause and cure. */
function Symptoms({ symptoms }: { symptoms: readonly Symptom[] }) {
  return (
    <div className="symptoms">
      {symptoms.map(translated).map(({ code, symptom, cause, cure, reasons }) => (
        <details key={code}>
          <summary>{sentence(symptom)}</summary>
          <p>{sentence(cause)}</p>
          <p>
            <strong>{t.whatToDo}</strong>
            {sentence(cure)}
          </p>
          {reasons.length > 0 && (
            <p>
              {t.showRefusals}
              {reasons.map((reason, at) => (
                <span key={reason}>
                  {at > 0 && ", "}
                  <a href={`/refusals?reason=${reason}`}>{withinSentence(nameOfRefusal(reason))}</a>
                </span>
              ))}
            </p>
          )}
        </details>
      ))}
    </div>
  );
}
