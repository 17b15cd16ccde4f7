import type { AdminAct } from "../../api/audits.ts";
import { RecordLink } from "../../parts/links/record-link.tsx";

/** The record that an act was about. */
export function ActRecord({ act: { act, target, before, after } }: { act: AdminAct }) {
  // The key of a device, not an API key.
  const kind = act === "key.block" ? "device-key" : act.slice(0, act.indexOf("."));
  return <RecordLink kind={kind} id={target} name={nameIn(after) ?? nameIn(before)} gone={act.endsWith(".delete")} />;
}

/** What the recorded fields call the record. */
function nameIn(fields: AdminAct["after"]): string | undefined {
  const { name, email, username, intendedName } = fields ?? {};
  return [name, email, username, intendedName].find((value) => typeof value === "string");
}
