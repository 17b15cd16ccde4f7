import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type Certificate, certificateQuery } from "../../api/certificates.ts";
import { Ago } from "../../ui/display/time.tsx";
import { CertificateState } from "../certificates/certificate-state.tsx";
import { RevokeDialog } from "../certificates/revoke-dialog.tsx";
import "./former.css";

/** The bundles that a rotation replaces, each with a way to revoke it. */
export function Former({ certificates }: { certificates: readonly Certificate[] }) {
  return (
    <ul className="former">
      {certificates.map((certificate) => (
        <li key={certificate.id}>
          <a className="mono" href={`/certificates/${certificate.id}`}>
            …{certificate.serialNumber.slice(-10)}
          </a>
          <CertificateState certificate={certificate} />
          <span className="soft">
            last connected <Ago at={certificate.lastConnectedAt} />
          </span>
          <Revoke id={certificate.id} />
        </li>
      ))}
    </ul>
  );
}

function Revoke({ id }: { id: string }) {
  const [opened, setOpened] = useState(false);
  const { data } = useQuery(certificateQuery(id));
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setOpened(true)} disabled={!data}>
        Revoke
      </Button>
      {data && <RevokeDialog certificate={data} opened={opened} onClose={() => setOpened(false)} />}
    </>
  );
}
