import { useEffect, useState } from "react";
import { common } from "#texts/common.ts";
import { t } from "#texts/pages/certificates.ts";
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
    [common.device]: <span className="mono">{deviceId}</span>,
    [common.publishesOn]: publishTopics.length > 0 ? topics : t.nothingItsDeviceTypeNames,
    [common.expires]: <Time at={certExpiresAt} />,
    [t.serialNumber]: <span className="mono">{serialNumber}</span>,
  };
  return (
    <>
      <Notice tone="warn" title={t.saveItNowThePrivate}>
        <Downloads bundle={bundle} />
        <p>
          {t.theArchiveHasTheCertificate(<code>key.pem</code>, <code>fullchain.pem</code>)}
          {t.whatVerifiesTheBrokerThe(<code>ca.pem</code>, <code>.p12</code>)}
        </p>
        <span className="row">
          <code data-secret>{pkcs12Passphrase}</code>
          <CopyButton text={pkcs12Passphrase} label={t.copyPassphrase} />
        </span>
      </Notice>
      <Facts facts={facts} />
      {broker && <CopyBlock label={t.tryItInTheFolder}>{commandOf(bundle, broker)}</CopyBlock>}
      <p className="soft">{t.doNotImportTheFile(<code>.p12</code>)}</p>
    </>
  );
}

function Downloads({ bundle }: { bundle: Bundle }) {
  const [zip, setZip] = useState<Uint8Array<ArrayBuffer>>();
  useEffect(() => void zipOf(bundle).then(setZip), [bundle]);
  const label = t.downloadZip;
  return (
    <span className="row">
      {zip && <DownloadButton name={`${bundle.deviceId}.zip`} content={zip} label={label} />}
      {!zip && <Action small label={label} disabled />}
      <DownloadButton name={`${bundle.deviceId}.p12`} content={pkcs12Of(bundle)} label={t.downloadP12} />
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
