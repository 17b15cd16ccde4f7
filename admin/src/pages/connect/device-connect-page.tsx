import { SegmentedControl } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { common } from "#texts/common.ts";
import { t } from "#texts/pages/connect.ts";
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
      title={t.connectTheDevice}
      back={{ href: `/devices/${id}`, label: device.data?.record.name ?? id }}
      lead={t.everythingThatItsClientNeeds}
      narrow
    >
      <Section title={t.whatTheBrokerSees}>
        <ConnectionWatch deviceId={id} connection={connection} />
      </Section>
      <Loaded query={guide}>
        {(found) =>
          NO_CERTIFICATE.has(found.certificateState) ? (
            <Notice tone="warn" title={t.theDeviceHasNoValid}>
              {mayIssue ? (
                <p>
                  {t.andInstallItsFilesOn(
                    <a href={`/certificates?issue=${encodeURIComponent(id)}`}>{t.issueABundle}</a>,
                  )}
                </p>
              ) : (
                <p>{t.anAdministratorIssuesABundle}</p>
              )}
              <p>
                {device.data?.record.hardwareFingerprint
                  ? t.enrollsWithACode(<a href={`/devices/${id}`}>{t.toTheDevice}</a>)
                  : t.aDeviceThatCanGenerate(<a href="/connect">{t.connectedWithAClaim}</a>)}
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
  paho: t.pahoPython,
  "esp-idf": "ESP-IDF",
  agent: t.musterAgent,
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
    [t.host]: mono(host),
    [t.portMqttOverTls]: mono(port),
    [t.clientId]: mono(clientId),
    [t.topic]: mono(publishTopics[0] ?? common.none),
  };
  return (
    <Section title={t.itsSettings} lead={t.theExamplesNameItsFiles}>
      {publishTopics.length === 0 && (
        <Notice tone="warn" title={t.theDeviceMayPublishNowhere}>
          <p>{t.setItsTypeThenHave}</p>
        </Notice>
      )}
      <Facts framed facts={settings} />
      <Facts framed facts={Object.fromEntries(files.map(({ name, contains }) => [name, contains]))} />
      <SegmentedControl
        aria-label={t.program}
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
