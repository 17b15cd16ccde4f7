import { useUrlState } from "../../parts/url-state.ts";
import { Page } from "../../ui/page/page.tsx";
import { Tabs } from "../../ui/page/tabs.tsx";
import { AdminAudit } from "./admin-audit.tsx";
import { ApiAudit } from "./api-audit.tsx";
import { CertificateAudit } from "./certificate-audit.tsx";

const AUDITS = {
  admin: { label: "Administration", content: AdminAudit, lead: "Who changed what, in this app and at the shell." },
  api: { label: "API keys", content: ApiAudit, lead: "Every write with an API key. Reads are not recorded." },
  certificates: {
    label: "Certificates",
    content: CertificateAudit,
    lead: "Who issued, enrolled, renewed and revoked which certificate.",
  },
} as const;

/** What was done, by whom. */
export default function AuditPage() {
  const [{ of = "admin" }] = useUrlState();
  const current = of in AUDITS ? (of as keyof typeof AUDITS) : "admin";
  const { content: Content, lead } = AUDITS[current];
  return (
    <Page
      title="Audit"
      lead={lead}
      tabs={
        <Tabs
          label="Audits"
          tabs={Object.entries(AUDITS).map(([name, { label }]) => ({
            href: name === "admin" ? "/audit" : `/audit?of=${name}`,
            label,
            current: name === current,
          }))}
        />
      }
    >
      <Content />
    </Page>
  );
}
