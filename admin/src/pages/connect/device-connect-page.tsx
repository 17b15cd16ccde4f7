import { SegmentedControl } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Schemas } from "../../api/client.ts";
import { connectGuideQuery, deviceQuery } from "../../api/devices.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { useMay } from "../../parts/session.ts";
import { usePathParams } from "../../parts/use-params.ts";
import { CopyBlock, Facts, Notice, Page, Section } from "../../ui/ui.ts";
import { ConnectionWatch } from "./connection-watch.tsx";
import { useConnection } from "./use-connection.ts";

const NO_CERTIFICATE: ReadonlySet<string> = new Set(["none", "expired", "revoked"]);

/** The settings with which a device connects with its present certificate, and the outcome of its attempts. */
export default function DeviceConnectPage() {
  const { id } = usePathParams<"id">();
  const device = useQuery(deviceQuery(id));
  const guide = useQuery(connectGuideQuery(id));
  const connection = useConnection(id);
  const mayIssue = useMay("issueCertificate");
  return (
    <Page
      title="Connect the device"
      back={{ href: `/devices/${id}`, label: device.data?.record.name ?? id }}
      lead="Everything that its client needs, and what the broker sees of it."
      narrow
    >
      <Section title="What the broker sees">
        <ConnectionWatch deviceId={id} connection={connection} />
      </Section>
      <Loaded query={guide}>
        {(found) =>
          NO_CERTIFICATE.has(found.certificateState) ? (
            <Notice tone="warn" title="The device has no valid certificate">
              {mayIssue ? (
                <p>
                  <a href={`/certificates?issue=${encodeURIComponent(id)}`}>Issue a bundle</a>, and install its files on
                  the device.
                </p>
              ) : (
                <p>An administrator issues a bundle for it.</p>
              )}
              <p>
                A device that can generate its own key is <a href="/connect">connected with a claim</a> instead, which
                adds a device.
              </p>
            </Notice>
          ) : (
            <ClientExamples guide={found} />
          )
        }
      </Loaded>
    </Page>
  );
}

type Tool = Schemas["ClientExample"]["tool"];

const NAMES: Record<Tool, string> = {
  openssl: "openssl",
  curl: "curl",
  mosquitto: "mosquitto",
  "mqtt.js": "mqtt.js",
  paho: "Paho (Python)",
  "esp-idf": "ESP-IDF",
  agent: "Muster agent",
};

const FILES: Record<Schemas["ClientExample"]["language"], string> = {
  sh: "connect.sh",
  js: "connect.mjs",
  python: "connect.py",
  c: "connect.c",
};

function ClientExamples({ guide }: { guide: Schemas["ConnectGuide"] }) {
  const [tool, setTool] = useState<Tool>();
  const { host, port, clientId, publishTopics, files, examples } = guide;
  const shown = examples.find((each) => each.tool === tool) ?? examples[0]!;
  const mono = (text: string | number) => <span className="mono">{text}</span>;
  const settings = {
    Host: mono(host),
    "Port (MQTT over TLS)": mono(port),
    "Client id": mono(clientId),
    Topic: mono(publishTopics[0] ?? "none"),
  };
  return (
    <Section title="Its settings" lead="The examples name its files as below.">
      {publishTopics.length === 0 && (
        <Notice tone="warn" title="The device may publish nowhere">
          <p>Set its type, then have it renew its certificate: the topics are those of the type at that time.</p>
        </Notice>
      )}
      <Facts framed facts={settings} />
      <Facts framed facts={Object.fromEntries(files.map(({ name, contains }) => [name, contains]))} />
      <SegmentedControl
        aria-label="Program"
        value={shown.tool}
        onChange={(value) => setTool(value as Tool)}
        data={examples.map((each) => ({ value: each.tool, label: NAMES[each.tool] }))}
      />
      <CopyBlock label={shown.does} file={FILES[shown.language]}>
        {shown.text}
      </CopyBlock>
    </Section>
  );
}
