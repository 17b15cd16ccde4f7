import { Checkbox, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import {
  BUNDLES_OF_DEVICE,
  type Bundle,
  CERTIFICATES,
  issueCertificate,
  liveBundlesQuery,
} from "../../api/certificates.ts";
import { DEVICES } from "../../api/devices.ts";
import { Problem } from "../../api/problem.ts";
import { Form, useFields } from "../../parts/form/form.tsx";
import { Dialog, Notice, ShownOnce } from "../../ui/ui.ts";
import { BundleOnce } from "./bundle-once.tsx";

interface IssueDialogProps {
  /** The device that the address names: absent while the dialog is closed, empty for the user to choose. */
  deviceId: string | undefined;
  onClose: () => void;
}

export function IssueDialog({ deviceId, onClose }: IssueDialogProps) {
  return (
    <Dialog title="Issue a certificate bundle" wide opened={deviceId !== undefined} onClose={onClose}>
      <Issue deviceId={deviceId ?? ""} onClose={onClose} />
    </Dialog>
  );
}

function Issue({ deviceId, onClose }: { deviceId: string; onClose: () => void }) {
  const [bundle, setBundle] = useState<Bundle>();
  const [form, field] = useFields({ deviceId }, "issueCertificate");
  const override = useOverride();
  const submit = async (values: { deviceId: string }) =>
    setBundle(await override.tried(() => issueCertificate(values.deviceId.trim(), override.given)));
  if (bundle)
    return (
      <ShownOnce title={`Bundle of ${bundle.deviceId}`} done="I have saved it" onDone={onClose}>
        <BundleOnce bundle={bundle} />
      </ShownOnce>
    );
  return (
    <Form
      form={form}
      onSubmit={submit}
      action="Issue bundle"
      onCancel={onClose}
      blocked={override.blocked}
      refreshes={[CERTIFICATES, DEVICES]}
    >
      <p>
        For a device that cannot make its own key: the service makes key and certificate, valid for one year, and shows
        them once. Issuing revokes no other certificate.
      </p>
      <TextInput label="Device id" autoComplete="off" spellCheck={false} data-autofocus {...field("deviceId")} />
      <LiveBundles deviceId={form.values.deviceId.trim()} />
      <Override {...override} />
    </Form>
  );
}

/** Counts the live bundles of a device: `1 of 2`. */
function LiveBundles({ deviceId }: { deviceId: string }) {
  const { data } = useQuery({ ...liveBundlesQuery(deviceId), enabled: deviceId !== "" });
  if (!data) return null;
  const { total } = data;
  return (
    <p className={total >= BUNDLES_OF_DEVICE ? undefined : "soft"}>
      Live bundles of {deviceId}:{" "}
      <a href={`/certificates?deviceId=${encodeURIComponent(deviceId)}&kind=platform&state=live`}>
        {total} of {BUNDLES_OF_DEVICE}
      </a>
      {total >= BUNDLES_OF_DEVICE && ". Revoke one that is not in use before another is issued."}
    </p>
  );
}

interface OverrideState {
  /** Set when the service requires the acknowledgement. */
  asked: boolean;
  given: boolean;
  /** The reason why the bundle cannot be issued now. */
  blocked: string | undefined;
  onChange: (given: boolean) => void;
}

/** Holds the acknowledgement that the service requires for a device with a live certificate of its own enrollment. */
export function useOverride(): OverrideState & { tried: <T>(issue: () => Promise<T>) => Promise<T> } {
  const [asked, setAsked] = useState(false);
  const [given, setGiven] = useState(false);
  const tried = async <T,>(issue: () => Promise<T>): Promise<T> => {
    try {
      return await issue();
    } catch (reason) {
      if (reason instanceof Problem && reason.code === "device_self_enrolled") setAsked(true);
      throw reason;
    }
  };
  const blocked = asked && !given ? "Confirm the second identity first." : undefined;
  return { asked, given, blocked, onChange: setGiven, tried };
}

/** Explains the acknowledgement and asks for it. */
export function Override({ asked, given, onChange }: OverrideState) {
  if (!asked) return null;
  return (
    <Notice tone="warn" title="This device has enrolled itself." live>
      <p>
        It has a private key that never left it, and renews its certificate by itself. A bundle is a second identity
        whose key existed outside of the device: every program with a copy of it can connect as this device, until the
        bundle is revoked or expires.
      </p>
      <Checkbox
        label="I want a second identity for this device all the same."
        checked={given}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
    </Notice>
  );
}
