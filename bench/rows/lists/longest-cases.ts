import type { LongList, LongLists } from "../../load/long-lists.ts";

/** A list as a program or a person asks for it, and what a page of it may cost beside one of a thousand rows. */
export interface AskedList {
  readonly list: LongList;
  readonly name: string;
  readonly path: string;
  /** Without a target: many matches are counted, those of the admin API 10,000 at most, while the list of a thousand rows has hundreds. */
  readonly isCounted?: true;
}

type Paths = Readonly<Record<string, string>>;

/** Every list that grows with a fleet and its age, by each of its filters, of few and of many matches. Others have quotas. */
export function longestCases(tenant: LongLists): AskedList[] {
  return [
    ...audits(),
    ...claims(),
    ...deliveries(tenant),
    ...tickets(tenant),
    ...anomalies(tenant),
    ...certificates(tenant),
    ...devices(tenant),
  ];
}

function asked(list: LongList, base: string, paths: Paths, counted: Paths = {}): AskedList[] {
  const named = ([name, query]: [string, string]) => ({ list, name, path: `${base}?${query}` });
  return [
    ...Object.entries(paths).map(named),
    ...Object.entries(counted).map((each) => ({ ...named(each), isCounted: true as const })),
  ];
}

function audits(): AskedList[] {
  return [
    ...asked("certificate_audit", "/api/v1/device-certificates/audit", { "certificate audit": "" }),
    ...asked(
      "certificate_audit",
      "/api/admin/audit/certificates",
      {
        "certificate audit, a rare kind": "kind=device_cert_minted",
        "certificate audit, a rare actor": "actor=apikey:rare",
        "certificate audit of a device": "deviceId=pump-7",
      },
      {
        "certificate audit, a common kind": "kind=device_cert_revoked",
        "certificate audit, without a kind": "notKind=device_cert_enrolled",
        "certificate audit, a common actor": "actor=apikey:common",
        "certificate audit, first hours": "to=2023-11-14T23:00:00Z",
        "certificate audit, a common kind, page 3": "kind=device_cert_revoked&skip=100",
      },
    ),
    ...asked(
      "admin_audit",
      "/api/admin/audit/admin",
      {
        "administrative audit": "",
        "administrative audit, a rare actor": "actor=user:rare",
        "administrative audit, a rare act": "act=group.delete",
        "administrative audit of a record": "target=nothing",
      },
      {
        "administrative audit, a common actor": "actor=user:common",
        "administrative audit, a common act": "act=user.update",
        "administrative audit, acts of a kind": "act=device.",
        "administrative audit, not an act": "notAct=user.update",
      },
    ),
    ...asked(
      "api_audit",
      "/api/admin/audit/api",
      {
        "API audit": "",
        "API audit, a rare key": "keyId=rarerare",
        "API audit, a rare operation": "operation=deleteGroup",
        "API audit, a rare resource": "resource=group",
        "API audit of a record": "resourceId=pump-7",
        "API audit, a rare result": "result=deleted",
      },
      {
        "API audit, a common key": "keyId=common00",
        "API audit, a common operation": "operation=updateDevice",
        "API audit, a common resource": "resource=device",
        "API audit, a common result": "result=updated",
        "API audit, not a key": "notKeyId=common00",
      },
    ),
  ];
}

function claims(): AskedList[] {
  return asked("claims", "/api/v1/provisioning/claims", {
    claims: "",
    "claims, used": "status=used",
    "claims, revoked": "status=revoked",
  });
}

function deliveries({ rare, common }: LongLists): AskedList[] {
  return asked(
    "deliveries",
    "/api/admin/deliveries",
    {
      "messages, failed": "state=failed",
      "messages, a rare channel": "channel=webhook",
      "messages of a small group": `groupId=${rare}`,
      "messages that wait": "state=pending",
    },
    {
      messages: "",
      "messages, a common channel": "channel=email",
      "messages of a large group": `groupId=${common}`,
      "messages, in no mail of several": "notState=digested",
      "messages, in a mail of several": "state=digested",
      "messages, first hours": "to=2023-11-14T23:00:00Z",
    },
  );
}

function tickets({ rare, common }: LongLists): AskedList[] {
  return [
    ...asked(
      "tickets",
      "/api/v1/tickets",
      {
        tickets: "",
        "tickets, open": "status=open",
        "tickets, completed": "status=completed",
        "tickets of a device": "deviceId=pump-7",
        "tickets of an assignee with few": `assigneeUserId=${rare}`,
      },
      { "tickets of an assignee with many": `assigneeUserId=${common}` },
    ),
    ...asked(
      "tickets",
      "/api/admin/tickets",
      {
        "tickets, a rare priority": "priority=urgent",
        "tickets, a rare type": "type=inspection",
        "tickets of a small group": `groupId=${rare}`,
        "tickets overdue": "overdue=true",
        "tickets by last change": "sort=-updatedAt",
        "tickets by due time": "sort=dueAt",
      },
      {
        "tickets, not open": "notStatus=open",
        "tickets, a common priority": "priority=low",
        "tickets, a common type": "type=preventive",
        "tickets of a large group": `groupId=${common}`,
        "tickets of no group": "groupId=none",
        "tickets of no assignee": "assigneeUserId=none",
        "tickets, open, by priority": "status=open&sort=-priority",
      },
    ),
  ];
}

function anomalies({ rare, common }: LongLists): AskedList[] {
  return [
    ...asked(
      "anomalies",
      "/api/v1/anomalies",
      {
        anomalies: "",
        "anomalies, open": "status=open",
        "anomalies of a device": "deviceId=pump-7",
        "anomalies, a rare severity": "severity=critical",
      },
      { "anomalies, first hours": "to=2023-11-14T23:00:00Z", "anomalies, a common severity": "severity=major" },
    ),
    ...asked(
      "anomalies",
      "/api/admin/anomalies",
      {
        "anomalies, open, of a rare severity": "status=open&severity=critical",
        "anomalies of a rare pack": `thresholdId=${rare}`,
        "anomalies of a small group": `groupId=${rare}`,
        "anomalies by age": "sort=openedAt",
        "anomalies by severity": "sort=-severity",
        "anomalies by last observation": "sort=-lastObservedAt",
      },
      {
        "anomalies, a common severity, bounded": "severity=major",
        "anomalies, not resolved": "notStatus=resolved",
        "anomalies, open, of a common severity": "status=open&severity=major",
        "anomalies, not of a severity": "notSeverity=major",
        "anomalies of a common pack": `thresholdId=${common}`,
        "anomalies of a large group": `groupId=${common}`,
      },
    ),
  ];
}

function certificates(_tenant: LongLists): AskedList[] {
  return [
    ...asked("certificates", "/api/v1/device-certificates", {
      certificates: "",
      "certificates, revoked": "status=revoked",
      "certificates, active": "status=active",
      "certificates of a device": "deviceId=pump-7",
    }),
    ...asked(
      "certificates",
      "/api/admin/certificates",
      {
        "certificates, bundles": "kind=platform",
        "certificates, expiring": "state=expiring",
        "certificates, expired": "state=expired",
        "certificates by expiry": "sort=expiry",
        "certificates by expiry, expired": "sort=expiry&state=expired",
        "certificates by expiry, bundles": "sort=expiry&kind=platform",
      },
      {
        "certificates, no bundles": "notKind=platform",
        "certificates, live": "state=live",
        "certificates, revoked, bounded": "state=revoked",
        "certificates, not live": "notState=live",
        "certificates that end in ten days": `sort=expiry&expiresFrom=${inDays(10)}&expiresBefore=${inDays(11)}`,
        "certificates that end in ten days, newest": `expiresFrom=${inDays(10)}&expiresBefore=${inDays(11)}`,
      },
    ),
  ];
}

function devices({ rare, common }: LongLists): AskedList[] {
  return [
    ...asked(
      "devices",
      "/api/v1/devices",
      {
        devices: "",
        "devices never seen": "connectivity=never_seen",
        "devices of a rare type": `deviceTypeId=${rare}`,
        "devices of a small group": `groupId=${rare}`,
      },
      {
        "devices online": "connectivity=online",
        "devices of a common type": `deviceTypeId=${common}`,
        "devices of a large group": `groupId=${common}`,
      },
    ),
    ...asked(
      "devices",
      "/api/admin/devices",
      {
        "devices with an expired certificate": "certificateState=expired",
        "devices without a certificate": "certificateState=none",
        "devices by id": "sort=id",
        "devices by age": "sort=createdAt",
        "devices by name": "sort=name",
        "devices by end of certificate": "sort=certificateExpiresAt",
      },
      {
        "devices online, bounded": "connectivity=online",
        "devices not online": "notConnectivity=online",
        "devices of a common type, bounded": `deviceTypeId=${common}`,
        "devices of no type": "deviceTypeId=none",
        "devices of other types": `notDeviceTypeId=${common}`,
        "devices of a large group, bounded": `groupId=${common}`,
        "devices of no group": "groupId=none",
        "devices outside a group": `notGroupId=${common}`,
        "devices with an active certificate": "certificateState=active",
        "devices with a part that all have": "q=pump",
      },
    ),
  ];
}

const DAY_MS = 86_400_000;

function inDays(days: number): string {
  return new Date(Date.now() + days * DAY_MS).toISOString();
}
