import { Button } from "@mantine/core";
import { useState } from "react";
import { type DeviceQuery, listDevices } from "../../../api/devices.ts";
import { plural } from "../../../ui/display/format.ts";

/** Some twenty pages of the list, and a hundred requests of a change. */
const MOST = 5_000;
const PAGE = 200;

interface SelectMatchingProps {
  query: DeviceQuery;
  total: number;
  onSelect: (selected: ReadonlySet<string>) => void;
}

/** Selects every device that matches the filters, on all pages. */
export function SelectMatching({ query, total, onSelect }: SelectMatchingProps) {
  const [busy, setBusy] = useState(false);
  const [failed, setFailed] = useState(false);
  if (total > MOST)
    return <span className="soft">Narrow the list to {MOST.toLocaleString()} devices to select all.</span>;
  const select = async () => {
    setBusy(true);
    setFailed(false);
    try {
      onSelect(await idsOf(query, total));
    } catch {
      setFailed(true);
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <Button size="xs" variant="default" loading={busy} onClick={() => void select()}>
        Select all {plural(total, "device")} of the list
      </Button>
      {failed && <span role="alert">The list could not be read: try again.</span>}
    </>
  );
}

/** A device that is added meanwhile may move another to a page that is read already: it is selected once. */
async function idsOf(query: DeviceQuery, total: number): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  for (let skip = 0; skip < total; skip += PAGE) {
    const { items } = await listDevices({ ...query, skip, limit: PAGE });
    for (const { id } of items) ids.add(id);
  }
  return ids;
}
