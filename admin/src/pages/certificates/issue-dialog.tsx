import { TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { BUNDLES_OF_DEVICE, type Bundle, issueCertificate, liveBundlesQuery } from "../../api/certificates.ts";
import { Form } from "../../parts/form/form.tsx";
import { rulesOf } from "../../parts/form/rules.ts";
import { Dialog } from "../../ui/input/dialog.tsx";
import { BundleOnce } from "./bundle-once.tsx";
import { Override, useOverride } from "./override.tsx";

interface IssueDialogProps {
  /** Of the address: absent while the dialog is closed, empty where the user chooses. */
  deviceId: string | undefined;
  onClose: () => void;
  onIssued: () => void;
}

/** Issues a bundle for a device and shows it once. */
export function IssueDialog({ deviceId, onClose, onIssued }: IssueDialogProps) {
  const [bundle, setBundle] = useState<Bundle>();
  const close = () => {
    setBundle(undefined);
    onClose();
  };
  return (
    <Dialog
      title={bundle ? `Bundle of ${bundle.deviceId}` : "Issue a certificate bundle"}
      wide
      keep={bundle !== undefined}
      opened={deviceId !== undefined}
      onClose={close}
    >
      {bundle ? (
        <BundleOnce bundle={bundle} onDone={close} />
      ) : (
        <Fields
          deviceId={deviceId ?? ""}
          onCancel={close}
          onIssued={(issued) => {
            setBundle(issued);
            onIssued();
          }}
        />
      )}
    </Dialog>
  );
}

interface FieldsProps {
  deviceId: string;
  onCancel: () => void;
  onIssued: (bundle: Bundle) => void;
}

function Fields({ deviceId, onCancel, onIssued }: FieldsProps) {
  const form = useForm({
    mode: "controlled",
    initialValues: { deviceId },
    validate: rulesOf("issueCertificate", ["deviceId"]),
  });
  const override = useOverride();
  const submit = async (values: { deviceId: string }) => {
    const id = values.deviceId.trim();
    onIssued(await override.tried(() => issueCertificate(id, override.given)));
  };
  return (
    <Form form={form} onSubmit={submit} action="Issue bundle" onCancel={onCancel} blocked={override.blocked}>
      <p>
        For a device that cannot make its own key: the service makes key and certificate, valid for one year, and shows
        them once. Issuing revokes no other certificate.
      </p>
      <TextInput
        label="Device id"
        autoComplete="off"
        spellCheck={false}
        data-autofocus
        {...form.getInputProps("deviceId")}
      />
      <LiveBundles deviceId={form.values.deviceId.trim()} />
      <Override {...override} />
    </Form>
  );
}

/** How many of the bundles that a device may have it has: `1 of 2`. */
export function LiveBundles({ deviceId }: { deviceId: string }) {
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
