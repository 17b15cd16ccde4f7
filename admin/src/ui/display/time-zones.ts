/** The present names of zones that browsers list under former ones. */
const RENAMED: Readonly<Record<string, string>> = {
  "Africa/Asmera": "Africa/Asmara",
  "America/Buenos_Aires": "America/Argentina/Buenos_Aires",
  "America/Catamarca": "America/Argentina/Catamarca",
  "America/Coral_Harbour": "America/Atikokan",
  "America/Cordoba": "America/Argentina/Cordoba",
  "America/Godthab": "America/Nuuk",
  "America/Indianapolis": "America/Indiana/Indianapolis",
  "America/Jujuy": "America/Argentina/Jujuy",
  "America/Louisville": "America/Kentucky/Louisville",
  "America/Mendoza": "America/Argentina/Mendoza",
  "Asia/Calcutta": "Asia/Kolkata",
  "Asia/Katmandu": "Asia/Kathmandu",
  "Asia/Rangoon": "Asia/Yangon",
  "Asia/Saigon": "Asia/Ho_Chi_Minh",
  "Atlantic/Faeroe": "Atlantic/Faroe",
  "Europe/Kiev": "Europe/Kyiv",
  "Pacific/Enderbury": "Pacific/Kanton",
  "Pacific/Ponape": "Pacific/Pohnpei",
  "Pacific/Truk": "Pacific/Chuuk",
};

interface ZoneGroup {
  group: string;
  items: { value: string; label: string }[];
}

/** Returns the choices of a field for a time zone: the given ones, then all by continent under their present names. */
export function timeZoneChoices(...first: readonly { value: string; label: string }[]) {
  const groups = new Map<string, ZoneGroup>();
  const known = Intl.supportedValuesOf("timeZone").map((zone) => RENAMED[zone] ?? zone);
  for (const zone of [...new Set(known)].toSorted()) {
    const [group = zone, ...city] = zone.split("/");
    if (city.length === 0 || first.some(({ value }) => value === zone)) continue;
    const entry = groups.get(group) ?? { group, items: [] };
    groups.set(group, entry);
    entry.items.push({ value: zone, label: city.join("/").replaceAll("_", " ") });
  }
  return [...first, ...groups.values()];
}

/** Returns the choices with UTC and the present choice first. */
export function timeZonesWith(chosen: string) {
  return timeZoneChoices(...[...new Set(["UTC", chosen])].map((zone) => ({ value: zone, label: zone })));
}
