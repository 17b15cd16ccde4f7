import { useQuery } from "@tanstack/react-query";
import { t } from "#texts/pages/device.ts";
import { refusalsOfDeviceQuery } from "../api/broker/refusals.ts";
import type { Schemas } from "../api/client.ts";
import { rejectedQuery } from "../api/devices.ts";
import { numberText } from "../texts/number-text.ts";
import { sentence } from "../texts/sentence.ts";
import { Ago, Notice } from "../ui/ui.ts";
import { useMay } from "./session.ts";

const DAY_MS = 86_400_000;
const REFRESH_MS = 15_000;

/** Returns the messages of the last 24 hours that were not stored completely, newest first. */
export function useRejectedToday(deviceId: string): readonly Schemas["RejectedMessage"][] {
  const query = { ...rejectedQuery(deviceId), enabled: useMay("listRejected"), refetchInterval: REFRESH_MS };
  const items = useQuery(query).data?.items ?? [];
  return items.filter(({ at }) => isOfToday(at));
}

function isOfToday(at: string): boolean {
  return Date.now() - Date.parse(at) < DAY_MS;
}

/** Returns the number of entries of the last 24 hours on the device's tab of refusals. */
export function useRefusedToday(deviceId: string): number {
  const query = { ...refusalsOfDeviceQuery(deviceId), enabled: useMay("listRefusals"), refetchInterval: REFRESH_MS };
  const refusals = useQuery(query).data?.items ?? [];
  return useRejectedToday(deviceId).length + refusals.filter(({ lastAt }) => isOfToday(lastAt)).length;
}

/** Shows the device's last message of which a part was not stored, and the reason. */
export function RejectedNotice({ deviceId }: { deviceId: string }) {
  const [last] = useRejectedToday(deviceId);
  if (!last) return null;
  const { at, reason, storedValues, problemCount } = last;
  const title =
    storedValues === 0 ? t.aMessageWasNotStored : t.valuesNotStored(numberText(problemCount), numberText(storedValues));
  return (
    <Notice tone="bad" title={title}>
      <p>
        <Ago at={at} />: {sentence(reason)}
      </p>
      <p>
        <a href={`/devices/${deviceId}?tab=refused`}>{t.rejectedMessages}</a>
      </p>
    </Notice>
  );
}
