import { useQuery } from "@tanstack/react-query";
import { nouns } from "#texts/nouns.ts";
import { t } from "#texts/pages/device.ts";
import { type Device, devicesQuery, suggestionsQuery } from "../../api/devices.ts";
import { Status } from "../../ui/ui.ts";

/** The field of the metadata with the id of the device on which this one depends. */
const FIELD = "dependsOn";

/** Returns the facts about the device on which this one depends, and about those that depend on it. */
export function useDependencies({ id, metadata }: Device) {
  const dependents = useQuery(devicesQuery({ metadata: `${FIELD}=${encodeURIComponent(id)}`, limit: 1 })).data?.total;
  const parent = metadata[FIELD];
  const list = `/devices?metadata.${FIELD}=${encodeURIComponent(id)}`;
  return {
    ...(typeof parent === "string" && parent !== "" && { [t.dependsOn]: <Parent id={parent} /> }),
    ...(dependents && { [t.dependents]: <a href={list}>{nouns.device(dependents)}</a> }),
  };
}

function Parent({ id }: { id: string }) {
  const { data } = useQuery(suggestionsQuery(id));
  const parent = data?.items.find((each) => each.id === id);
  if (data && !parent) return <Status plain of={["warn", t.noSuchDevice(id)]} />;
  return <a href={`/devices/${encodeURIComponent(id)}`}>{parent?.name ?? id}</a>;
}
