import { useQuery } from "@tanstack/react-query";
import { deviceTypesQuery } from "../../api/device-types.ts";
import { GroupNames } from "../../parts/group-names.tsx";
import { Ago, Time } from "../../ui/display/time.tsx";
import { Facts } from "../../ui/page/facts.tsx";
import { Panel, Section } from "../../ui/page/page.tsx";
import { metadataText } from "./metadata.ts";
import { OnCallNow } from "./on-call-now.tsx";
import type { TabProps } from "./tab-props.ts";
import { LatestValues } from "./telemetry/latest-values.tsx";
import { DeviceWarnings } from "./warnings.tsx";
import "./metadata.css";

/** What the device is, what it last said, and what is wrong with it. */
export function OverviewTab({ device }: TabProps) {
  const types = useQuery(deviceTypesQuery).data?.items;
  const type = types?.find(({ id }) => id === device.deviceTypeId);
  const { connectivity } = device;
  return (
    <div className="stack-loose">
      <DeviceWarnings device={device} />
      <Panel>
        <Facts
          facts={[
            [
              "Device id (MQTT client id)",
              <span className="mono" key="id">
                {device.id}
              </span>,
            ],
            ["Type", type?.name ?? device.deviceTypeId],
            ["Groups", <GroupNames key="groups" ids={device.groupIds} none="none: only administrators see it" />],
            ["On duty for it", <OnCallNow key="duty" id={device.id} />],
            ["Last seen", <Ago key="seen" at={device.lastSeenAt} />],
            [
              connectivity.status === "online" ? "Online since" : "Offline since",
              <Time key="since" at={connectivity.since} />,
            ],
            ["Reason", connectivity.reason],
            ["Hardware model", device.hardwareModel],
            ["Hardware fingerprint", device.hardwareFingerprint],
            ["Agent version", device.agentVersion],
            ["Agent capabilities", device.agentCapabilities.join(", ")],
            ["MAC address", device.macAddress],
            ["Added", <Time key="added" at={device.createdAt} />],
            ["Description", device.description],
            [
              "Metadata",
              Object.keys(device.metadata).length > 0 && (
                <code className="metadata" key="metadata">
                  {metadataText(device.metadata)}
                </code>
              ),
            ],
          ]}
        />
      </Panel>
      <Section title="Latest values">
        <LatestValues device={device} />
      </Section>
    </div>
  );
}
