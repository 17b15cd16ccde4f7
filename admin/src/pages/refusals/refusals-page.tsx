import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { REFUSALS, type Refusal, refusalsQuery, symptomsQuery } from "../../api/broker/refusals.ts";
import { DownloadCsv } from "../../parts/download-csv.tsx";
import { negatable, PERIOD, periodOf } from "../../parts/filter-values.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { useMay } from "../../parts/session.ts";
import { useListState } from "../../parts/url-state.ts";
import { Empty } from "../../ui/display/empty.tsx";
import { Pager } from "../../ui/display/pager.tsx";
import { type Filter, Filters } from "../../ui/input/filters.tsx";
import { Page, Section } from "../../ui/page/page.tsx";
import { REFUSAL_REASONS } from "../../words/refusals.ts";
import { RefusalCard } from "./refusal-card.tsx";
import { Symptoms } from "./symptoms.tsx";

const FILTERS: readonly Filter[] = [
  { kind: "text", name: "deviceId", label: "Device id", placeholder: "the whole id", maxLength: 128 },
  { kind: "text", name: "fingerprintSha256", label: "Fingerprint of the certificate", maxLength: 128 },
  { kind: "choice", name: "reason", label: "Reason", options: Object.entries(REFUSAL_REASONS), not: true },
  ...PERIOD,
];

/** A refusal is no event of the live stream. */
const POLL_MS = 2000;

/** Why clients cannot connect: what the broker refused, each with cause and cure, and what is seen at devices. */
export default function RefusalsPage() {
  const { values, skip, onFilter, onSkip } = useListState();
  const asked = {
    deviceId: values.deviceId,
    fingerprintSha256: hexOf(values.fingerprintSha256),
    ...negatable(values, "reason"),
    ...periodOf(values),
    skip,
  };
  const query = useQuery({ ...refusalsQuery(asked), refetchInterval: POLL_MS, placeholderData: keepPreviousData });
  const mayUnknown = useMay("listUnknownRefusals");
  const filtered = FILTERS.some(({ name }) => values[name]);
  return (
    <Page
      title="Why can't it connect?"
      lead="Every client that the broker refused, with the cause and what to do about it. New ones appear by themselves."
    >
      <Filters filters={FILTERS} values={values} onChange={onFilter} />
      <Loaded query={query}>
        {(page) => (
          <>
            {page.items.length === 0 && <Nothing filtered={filtered} />}
            <div className="stack">
              {page.items.map((refusal: Refusal) => (
                <RefusalCard key={refusal.id} refusal={refusal} />
              ))}
            </div>
            <Pager page={page} of="refusal" onSkip={onSkip}>
              <DownloadCsv list={REFUSALS} query={asked} total={page.total} />
            </Pager>
          </>
        )}
      </Loaded>
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

function Nothing({ filtered }: { filtered: boolean }) {
  return filtered ? (
    <Empty title="No refusal matches." action={<a href="/refusals">Clear filters</a>}>
      If the device does not connect all the same, it does not reach the broker: check address, port and network.
    </Empty>
  ) : (
    <Empty title="The broker has refused no client." />
  );
}

/** As tools print fingerprints: `9B:1F:…`. */
function hexOf(fingerprint: string | undefined): string | undefined {
  return fingerprint?.replaceAll(/[:\s]/g, "").toLowerCase() || undefined;
}
