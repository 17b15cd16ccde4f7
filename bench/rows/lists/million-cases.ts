import type { Million } from "../../load/million.ts";

/** A list as someone asks for it on a screen. */
export interface AskedList {
  /** Whose session asks. */
  readonly as: keyof Million["cookies"];
  readonly name: string;
  /** Below `/api/admin`. */
  readonly path: string;
  /** p95 in milliseconds; none where a search says itself that it takes longer. */
  readonly atMost?: number;
}

/** Whole lists, and lists that are narrowed or sorted. */
const LIST_MS = 300;
const FILTERED_MS = 1000;

const DAY_MS = 86_400_000;
const USERS = ["admin", "half", "few"] as const;

export function askedLists({ devices, deviceTypeId, groups }: Million, now: number): AskedList[] {
  const ago = (days: number) => new Date(now - days * DAY_MS).toISOString();
  const deep = { admin: devices / 2, half: devices / 4, few: devices / 200 };
  return USERS.flatMap((as) => [
    ...asked(as, LIST_MS, {
      devices: "devices?",
      "devices, page 2": "devices?skip=50",
      [`devices, skip=${deep[as]}`]: `devices?skip=${deep[as]}`,
      certificates: "certificates?sort=expiry",
      "certificates, page 2": "certificates?sort=expiry&skip=50",
      [`certificates, skip=${deep[as]}`]: `certificates?sort=expiry&skip=${deep[as]}`,
      "certificates, newest": "certificates?",
      [`certificates, newest, skip=${deep[as]}`]: `certificates?skip=${deep[as]}`,
    }),
    ...asked(as, FILTERED_MS, {
      "devices online": "devices?connectivity=online",
      "devices not online": "devices?notConnectivity=online",
      "devices never seen": "devices?connectivity=never_seen",
      "devices with an active certificate": "devices?certificateState=active",
      "devices with an expired certificate": "devices?certificateState=expired",
      "devices without an active certificate": "devices?notCertificateState=active",
      "devices of a type": `devices?deviceTypeId=${deviceTypeId}`,
      "devices of other types": `devices?notDeviceTypeId=${deviceTypeId}`,
      "devices of a large group": `devices?groupId=${groups.half}`,
      "devices of a small group": `devices?groupId=${groups.few}`,
      "devices of no group": "devices?groupId=none",
      "devices outside a group": `devices?notGroupId=${groups.few}`,
      "devices seen this week": `devices?seenFrom=${ago(7)}`,
      "devices not seen for 30 days": `devices?seenBefore=${ago(30)}`,
      "devices by name": "devices?sort=name",
      "devices by id": "devices?sort=id",
      "devices by id, page 2": "devices?sort=id&skip=50",
      "devices by last seen": "devices?sort=-lastSeenAt",
      "devices by end of certificate": "devices?sort=certificateExpiresAt",
      "devices by age": "devices?sort=createdAt",
      "devices online, expiring, by name": "devices?connectivity=online&certificateState=expiring&sort=name",
      "devices offline of a type, by last seen": `devices?connectivity=offline&deviceTypeId=${deviceTypeId}&sort=lastSeenAt`,
      "certificates valid": "certificates?sort=expiry&state=live",
      "certificates expiring": "certificates?sort=expiry&state=expiring",
      "certificates expired": "certificates?sort=expiry&state=expired",
      "certificates revoked": "certificates?state=revoked",
      "certificates not revoked": "certificates?sort=expiry&notState=revoked",
      "certificates, bundles": "certificates?sort=expiry&kind=platform",
      "certificates, no bundles": "certificates?sort=expiry&notKind=platform",
      "certificates that end this week": `certificates?sort=expiry&expiresFrom=${ago(0)}&expiresBefore=${ago(-7)}`,
      "certificates of a device": "certificates?deviceId=pump-50",
      "certificates valid, newest": "certificates?state=live",
    }),
    ...asked(as, undefined, {
      "devices with a part that all have": "devices?q=pump",
      "devices with a part that few have": "devices?q=77777",
      "devices with a part that none has": "devices?q=zebra",
    }),
    ...asked(as, FILTERED_MS, {
      "devices of a small group with a part": `devices?q=777&groupId=${groups.few}`,
    }),
  ]);
}

function asked(as: AskedList["as"], atMost: number | undefined, paths: Record<string, string>): AskedList[] {
  const target = atMost === undefined ? {} : { atMost };
  return Object.entries(paths).map(([name, path]) => ({ as, name, path, ...target }));
}
