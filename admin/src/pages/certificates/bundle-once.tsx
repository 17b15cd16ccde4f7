import { useEffect, useState } from "react";
import type { Bundle } from "../../api/certificates.ts";
import { Action, CopyBlock, CopyButton, DownloadButton, Facts, Notice, Time } from "../../ui/ui.ts";
import { useBroker } from "../connect/use-broker.ts";
import { pkcs12Of, zipOf } from "./bundle-files.ts";

/** A bundle, shown once: its files to save, and a command that connects with them. */
export function BundleOnce({ bundle }: { bundle: Bundle }) {
  const { deviceId, publishTopics, certExpiresAt, serialNumber, pkcs12Passphrase } = bundle;
  const { broker } = useBroker();
  const topics = <span className="mono">{publishTopics.join(", ")}</span>;
  const facts = {
    Device: <span className="mono">{deviceId}</span>,
    "Publishes on": publishTopics.length > 0 ? topics : "nothing: its device type names no topic",
    Expires: <Time at={certExpiresAt} />,
    "Serial number": <span className="mono">{serialNumber}</span>,
  };
  return (
    <>
      <Notice tone="warn" title="Save it now: the private key is not shown again.">
        <Downloads bundle={bundle} />
        <p>
          The archive has <code>key.pem</code>, <code>fullchain.pem</code> (the certificate followed by its chain) and{" "}
          <code>ca.pem</code> (what verifies the broker). The <code>.p12</code> file has key, certificate and chain; its
          passphrase:
        </p>
        <span className="row">
          <code data-secret>{pkcs12Passphrase}</code>
          <CopyButton text={pkcs12Passphrase} label="Copy passphrase" />
        </span>
      </Notice>
      <Facts facts={facts} />
      {broker && <CopyBlock label="Try it in the folder of the archive">{commandOf(bundle, broker)}</CopyBlock>}
      <p className="soft">
        Do not import the <code>.p12</code> file into your own browser: the browser would then ask on this site which
        certificate to present.
      </p>
    </>
  );
}

function Downloads({ bundle }: { bundle: Bundle }) {
  const [zip, setZip] = useState<Uint8Array<ArrayBuffer>>();
  useEffect(() => void zipOf(bundle).then(setZip), [bundle]);
  const label = "Download .zip";
  return (
    <span className="row">
      {zip && <DownloadButton name={`${bundle.deviceId}.zip`} content={zip} label={label} />}
      {!zip && <Action small label={label} disabled />}
      <DownloadButton name={`${bundle.deviceId}.p12`} content={pkcs12Of(bundle)} label="Download .p12" />
    </span>
  );
}

/** Returns a command that connects with the saved files and sends a first message. */
function commandOf({ deviceId, publishTopics }: Bundle, { host, port }: { host: string; port: number }): string {
  const files = "--cafile ca.pem --cert fullchain.pem --key key.pem";
  const [topic] = publishTopics;
  const at = `-h ${host} -p ${port} ${files} \\\n  -i '${deviceId}'`;
  if (topic !== undefined) return `mosquitto_pub -V mqttv5 ${at} -q 1 -t '${topic}' -m '{"temperature": 21.5}'`;
  return `mosquitto_pub -V mqttv5 ${at} -q 1 -t 'telemetry' -m '{}'   # refused: the device type names no topic`;
}
