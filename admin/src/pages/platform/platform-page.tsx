import { useUrlState } from "../../parts/url-state.ts";
import { Page } from "../../ui/page/page.tsx";
import { Tabs } from "../../ui/page/tabs.tsx";
import { Authorities } from "./authorities.tsx";
import { Checks } from "./checks.tsx";
import { TenantList } from "./tenant-list.tsx";
import { UnknownRefusals } from "./unknown-refusals.tsx";

const PARTS = {
  tenants: { label: "Tenants", content: TenantList, lead: "Every tenant of the installation, without its data." },
  authorities: {
    label: "Certificate authorities",
    content: Authorities,
    lead: "What issues client certificates, and what the server presents itself with.",
  },
  checks: { label: "Checks", content: Checks, lead: "Whether the stored state follows its rules." },
  refusals: {
    label: "Refused clients",
    content: UnknownRefusals,
    lead: "Clients that the broker refused and that no tenant is known for.",
  },
} as const;

/** The installation, for its operator. */
export default function PlatformPage() {
  const [{ of = "tenants" }] = useUrlState();
  const current = of in PARTS ? (of as keyof typeof PARTS) : "tenants";
  const { content: Content, lead } = PARTS[current];
  return (
    <Page
      title="Platform"
      lead={lead}
      tabs={
        <Tabs
          label="Platform"
          tabs={Object.entries(PARTS).map(([name, { label }]) => ({
            href: name === "tenants" ? "/platform" : `/platform?of=${name}`,
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
