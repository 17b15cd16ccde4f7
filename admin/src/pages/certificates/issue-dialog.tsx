import { Checkbox } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { common } from "#texts/common.ts";
import { t } from "#texts/pages/certificates.ts";
import {
  BUNDLES_OF_DEVICE,
  type Bundle,
  CERTIFICATES,
  issueCertificate,
  liveBundlesQuery,
} from "../../api/certificates.ts";
import { DEVICES } from "../../api/devices.ts";
import { Problem } from "../../api/problem.ts";
import { DeviceField } from "../../parts/form/device-field.tsx";
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
    <Dialog title={t.issueACertificateBundle} wide opened={deviceId !== undefined} onClose={onClose}>
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
      <ShownOnce title={t.bundleOf(bundle.deviceId)} done={t.iHaveSavedIt} onDone={onClose}>
        <BundleOnce bundle={bundle} />
      </ShownOnce>
    );
  return (
    <Form
      form={form}
      onSubmit={submit}
      action={t.issueBundle}
      onCancel={onClose}
      blocked={override.blocked}
      refreshes={[CERTIFICATES, DEVICES]}
    >
      <p>{t.forADeviceThatCannot}</p>
      <DeviceField label={common.device} {...field("deviceId")} />
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
      {t.liveBundlesOf(deviceId)}
      <a href={`/certificates?deviceId=${encodeURIComponent(deviceId)}&kind=platform&state=live`}>
        {t.of(total, BUNDLES_OF_DEVICE)}
      </a>
      {total >= BUNDLES_OF_DEVICE && t.revokeOneThatIsNot}
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
  const blocked = asked && !given ? t.confirmTheSecondIdentityFirst : undefined;
  return { asked, given, blocked, onChange: setGiven, tried };
}

/** Explains the acknowledgement and asks for it. */
export function Override({ asked, given, onChange }: OverrideState) {
  if (!asked) return null;
  return (
    <Notice tone="warn" title={t.thisDeviceHasEnrolledItself} live>
      <p>{t.itHasAPrivateKey}</p>
      <Checkbox
        label={t.iWantASecondIdentity}
        checked={given}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
    </Notice>
  );
}
