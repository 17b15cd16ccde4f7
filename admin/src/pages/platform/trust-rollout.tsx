import { useQuery } from "@tanstack/react-query";
import { trustRolloutQuery } from "../../api/people/platform.ts";
import { Notice } from "../../ui/display/status.tsx";
import { Time } from "../../ui/display/time.tsx";

/** While a new server root is rolled out: how many devices have it. */
export function TrustRollout() {
  const rollout = useQuery(trustRolloutQuery).data?.rollout;
  if (!rollout) return null;
  const { devices, trusting, takeOverAt, activatedAt } = rollout;
  const missing = devices - trusting;
  return (
    <Notice
      tone={missing === 0 ? "good" : activatedAt ? "bad" : "warn"}
      title={`${trusting.toLocaleString()} of ${devices.toLocaleString()} active devices trust the new server root`}
    >
      <p>
        {activatedAt ? "It has been in use since " : "It takes over on "}
        <Time at={activatedAt ?? takeOverAt} />. {missing === 0 ? "No device lacks it." : <Missing count={missing} />}
      </p>
    </Notice>
  );
}

function Missing({ count }: { count: number }) {
  return (
    <>
      {count.toLocaleString()} have not shown that they have it: see{" "}
      <a href="/findings?kind=server_root_missing">those of this tenant</a>.
    </>
  );
}
