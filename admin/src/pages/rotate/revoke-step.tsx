import type { Certificate } from "../../api/certificates.ts";
import { Notice } from "../../ui/display/status.tsx";
import { Former } from "./former.tsx";

/** What is left to do once the new certificate is in use. */
export function RevokeStep({ former }: { former: readonly Certificate[] }) {
  return former.length === 0 ? (
    <Notice tone="good" title="The rotation is complete.">
      <p>The device uses the new bundle, and no former one is live.</p>
    </Notice>
  ) : (
    <>
      <p>The device has connected with the new bundle. The former one still works.</p>
      <Former certificates={former} />
    </>
  );
}
