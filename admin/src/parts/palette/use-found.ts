import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { searchQuery } from "../../api/overview.ts";
import { appRoutes } from "../../routes.ts";
import { useMay } from "../session.ts";

/** An entry of the palette. */
export interface Entry {
  href: string;
  title: string;
  note: string;
}

const LEAST_CHARACTERS = 2;

/** Where a record of a kind is shown, and what its kind is called. */
const KINDS: Readonly<Record<string, readonly [route: string, label: string]>> = {
  device: ["/devices/$id", "device"],
  certificate: ["/certificates/$id", "certificate"],
  device_type: ["/device-types/$id", "device type"],
  claim: ["/claims/$id", "claim"],
  ticket: ["/tickets/$id", "ticket"],
  group: ["/groups/$id", "group"],
  shift: ["/shifts", "shift"],
  mqtt_client: ["/mqtt-clients", "MQTT client"],
  user: ["/users/$id", "user"],
};

/** Records whose name contains `text`, of the kinds that have a screen. */
export function useFound(text: string): readonly Entry[] {
  const q = text.trim();
  const enabled = useMay("search") && q.length >= LEAST_CHARACTERS;
  const { data } = useQuery({ ...searchQuery(q), enabled, placeholderData: keepPreviousData });
  if (!enabled || !data) return [];
  return data.items.flatMap(({ kind, id, title }) => {
    const [route = "", note = ""] = KINDS[kind] ?? [];
    const shown = appRoutes.some(({ path }) => path === route);
    if (!shown) return [];
    // Devices of one claim share its name.
    const label = kind === "device" && id !== title ? `${note} ${id}` : note;
    return [{ href: route.replace("$id", encodeURIComponent(id)), title, note: label }];
  });
}
