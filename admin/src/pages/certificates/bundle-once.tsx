import { Button } from "@mantine/core";
import { useEffect, useState } from "react";
import type { Bundle } from "../../api/certificates.ts";
import { Notice } from "../../ui/display/status.tsx";
import { Time } from "../../ui/display/time.tsx";
import { CopyButton, DownloadButton } from "../../ui/input/copy.tsx";
import { DialogActions } from "../../ui/input/dialog.tsx";
import { Facts } from "../../ui/page/facts.tsx";
import { pkcs12Of, zipOf } from "./bundle-files.ts";
import { TryBundle } from "./try-bundle.tsx";

/** A bundle, once: its files to save, and a command that connects with them. */
export function BundleOnce({ bundle, onDone }: { bundle: Bundle; onDone?: () => void }) {
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
          <code data-secret>{bundle.pkcs12Passphrase}</code>
          <CopyButton text={bundle.pkcs12Passphrase} label="Copy passphrase" />
        </span>
      </Notice>
      <Facts
        facts={[
          [
            "Device",
            <span key="device" className="mono">
              {bundle.deviceId}
            </span>,
          ],
          ["Publishes on", <Topics key="topics" topics={bundle.publishTopics} />],
          ["Expires", <Time key="expires" at={bundle.certExpiresAt} />],
          [
            "Serial number",
            <span key="serial" className="mono">
              {bundle.serialNumber}
            </span>,
          ],
        ]}
      />
      <TryBundle bundle={bundle} />
      <p className="soft">
        Do not import the <code>.p12</code> file into your own browser: the browser would then ask on this site which
        certificate to present.
      </p>
      {onDone && (
        <DialogActions>
          <Button onClick={onDone}>I have saved it</Button>
        </DialogActions>
      )}
    </>
  );
}

function Topics({ topics }: { topics: readonly string[] }) {
  if (topics.length > 0) return <span className="mono">{topics.join(", ")}</span>;
  return <>nothing: its device type names no topic</>;
}

function Downloads({ bundle }: { bundle: Bundle }) {
  const [zip, setZip] = useState<Uint8Array<ArrayBuffer>>();
  useEffect(() => void zipOf(bundle).then(setZip), [bundle]);
  return (
    <span className="row">
      {zip ? (
        <DownloadButton name={`${bundle.deviceId}.zip`} content={zip} label="Download .zip" />
      ) : (
        <Button size="xs" variant="default" disabled>
          Download .zip
        </Button>
      )}
      <DownloadButton name={`${bundle.deviceId}.p12`} content={pkcs12Of(bundle)} label="Download .p12" />
    </span>
  );
}
