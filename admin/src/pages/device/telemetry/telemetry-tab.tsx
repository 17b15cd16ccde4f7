import { Button, NativeSelect, SegmentedControl } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { latestQuery } from "../../../api/devices.ts";
import { Loaded } from "../../../parts/loaded.tsx";
import { useUrlState } from "../../../parts/url-state.ts";
import { Empty } from "../../../ui/display/empty.tsx";
import { Section } from "../../../ui/page/page.tsx";
import type { TabProps } from "../device-page.tsx";
import { LiveChart } from "./live-chart.tsx";
import { RangeChart } from "./range-chart.tsx";
import { LIVE_MS, RANGES } from "./ranges.ts";
import { Readings } from "./readings.tsx";

/** One metric over time: as it arrives, or over a range. */
export function TelemetryTab({ device }: TabProps) {
  const latest = useQuery(latestQuery(device.id));
  return (
    <Loaded query={latest}>
      {({ items }) => {
        const metrics = items.filter(({ value }) => typeof value === "number").map(({ metric }) => metric);
        if (metrics.length === 0)
          return (
            <Empty
              title="The device has published no numbers yet"
              action={<a href={`/devices/${device.id}/connect`}>How it connects</a>}
            />
          );
        return <Telemetry deviceId={device.id} metrics={metrics} />;
      }}
    </Loaded>
  );
}

function Telemetry({ deviceId, metrics }: { deviceId: string; metrics: readonly string[] }) {
  const [values, change] = useUrlState();
  const [paused, setPaused] = useState(false);
  const metric = metrics.find((each) => each === values.metric) ?? metrics[0]!;
  const range = RANGES.find(({ name }) => name === values.range) ?? RANGES[0]!;
  const ms = range.ms ?? LIVE_MS;
  return (
    <div className="stack-loose">
      <Section
        title={metric}
        actions={
          <>
            <NativeSelect
              aria-label="Metric"
              value={metric}
              data={[...metrics]}
              onChange={(event) => change({ metric: event.currentTarget.value })}
            />
            <SegmentedControl
              aria-label="Range"
              value={range.name}
              data={RANGES.map(({ name, label }) => ({ value: name, label }))}
              onChange={(name) => change({ range: name === RANGES[0]!.name ? undefined : name })}
            />
            {range.ms === undefined && (
              <Button variant="default" onClick={() => setPaused(!paused)}>
                {paused ? "Continue" : "Pause"}
              </Button>
            )}
          </>
        }
      >
        {range.ms === undefined ? (
          <LiveChart key={metric} deviceId={deviceId} metric={metric} paused={paused} />
        ) : (
          <RangeChart deviceId={deviceId} metric={metric} ms={range.ms} />
        )}
      </Section>
      <Readings key={`${metric} ${range.name}`} deviceId={deviceId} metric={metric} ms={ms} />
    </div>
  );
}
