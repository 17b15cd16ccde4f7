import { useQuery } from "@tanstack/react-query";
import { deviceTypesQuery } from "../../api/device-types.ts";
import { type ThresholdDetail, thresholdQuery } from "../../api/monitoring/thresholds.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { useMay } from "../../parts/session.ts";
import { usePathParams } from "../../parts/use-params.ts";
import { plural } from "../../ui/display/format.ts";
import { Time } from "../../ui/display/time.tsx";
import { Facts } from "../../ui/page/facts.tsx";
import { Page, Panel, Section } from "../../ui/page/page.tsx";
import { ruleText } from "../../words/rules.ts";
import { DeleteThreshold } from "./delete-threshold.tsx";
import { ThresholdForm } from "./threshold-form.tsx";

const BACK = { href: "/thresholds", label: "Thresholds" };

/** One pack: what it watches, its rules, and what they would have found. `new` is a pack that is not stored yet. */
export default function ThresholdPage() {
  const { id } = usePathParams<"id">();
  if (id === "new")
    return (
      <Page title="New threshold pack" back={BACK}>
        <ThresholdForm />
      </Page>
    );
  return <StoredPack key={id} id={id} />;
}

function StoredPack({ id }: { id: string }) {
  const query = useQuery(thresholdQuery(id));
  const mayChange = useMay("updateThreshold");
  const pack = query.data?.record;
  return (
    <Page
      title={pack?.name ?? "Threshold pack"}
      back={BACK}
      lead={pack?.description}
      actions={pack && <DeleteThreshold pack={pack} />}
    >
      <Loaded query={query}>
        {(versioned) => (
          <>
            <Watches pack={versioned.record} />
            {mayChange ? <ThresholdForm opened={versioned} /> : <RuleList pack={versioned.record} />}
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Watches({ pack }: { pack: ThresholdDetail }) {
  const { id, watchedDevices, devices, unresolvedAnomalies, updatedAt } = pack;
  const types = (useQuery(deviceTypesQuery).data?.items ?? []).filter(({ thresholdIds }) => thresholdIds.includes(id));
  return (
    <Panel>
      <Facts
        facts={[
          [
            "Watches",
            <a key="watched" href={`/devices?thresholdId=${id}`}>
              {plural(watchedDevices, "device")}
            </a>,
          ],
          ["Of these by themselves", devices.toLocaleString()],
          [
            "By their type",
            types.map((type, at) => (
              <span key={type.id}>
                {at > 0 && ", "}
                <a href={`/device-types/${type.id}`}>{type.name}</a>
              </span>
            )),
          ],
          ["Unresolved anomalies", unresolvedAnomalies.toLocaleString()],
          ["Changed", <Time key="changed" at={updatedAt} />],
        ]}
      />
      {watchedDevices === 0 && (
        <p className="soft">It watches nothing yet: choose it in the form of a device type, or of a device.</p>
      )}
    </Panel>
  );
}

function RuleList({ pack }: { pack: ThresholdDetail }) {
  return (
    <Section title="Rules">
      <ul>
        {pack.rules.map((rule) => (
          <li key={rule.id}>{ruleText(rule)}</li>
        ))}
      </ul>
    </Section>
  );
}
