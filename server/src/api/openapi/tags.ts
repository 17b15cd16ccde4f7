/** The description of each group of operations, in the order of the documents. */
export const TAGS: Readonly<Record<string, string>> = {
  Overview: "Operations across all kinds of records: the numbers of the home screen, and the search field.",
  Devices:
    "The monitored devices. A device is created when it enrolls with a claim, or when an administrator adds it; its id is its MQTT client id and never changes.",
  Telemetry: "Data published by devices: latest values, readings, and charts of any length.",
  Commands: "Messages for single devices, pending until their device has acknowledged them.",
  Groups:
    "Notification groups: who can see which devices, how members are notified, and the escalation steps. Shifts are assigned to groups.",
  Shifts: "The users on duty at a given time, in local time of the shift's own time zone. ",
  // Go compiles a file whose name ends in `_windows` on Windows only, and its generators name files by tags.
  Maintenance: "Planned work on devices: their pages wait until it ends. Anomalies are recorded all the same.",
  "On call": "The users on call now and in the next seven days.",
  Thresholds: "Reusable packs of rules over telemetry. A device is monitored by the packs that it names.",
  Anomalies: "Violations found by the rules: one unresolved anomaly per device and rule, open until it ends.",
  Notifications: "Messages to people and webhooks: the recipients, times and outcomes.",
  Tickets: "Maintenance tickets: work on a device, from its opening to its completion.",
  "Enrollment claims":
    "Claim codes with which devices enroll themselves. A code is shown once, when its claim is created, and is valid for at most 24 hours.",
  "Device certificates":
    "The certificates with which devices connect: their list, their issuance and revocation audit, and bundles for devices that cannot generate a key.",
  Refusals: "Clients that the broker refused, with cause and cure.",
  Events: "The tenant's events, as they happen.",
  Webhooks:
    "Addresses of other systems to which groups' pages are sent, signed as Standard Webhooks specifies. A webhook is a channel of a group.",
  Batches: "Many operations in one request.",
  "Messages to webhooks":
    "The messages that the service sends to webhooks. A tag of their own keeps generated clients from overwriting the operations of webhooks.",
  "Device types":
    "The common properties of devices: the topics of their certificates, threshold packs, and how long they may be silent.",
  "MQTT clients": "Gateways and services that connect with user name and password, each under one client id.",
  "API keys": "Keys for programs that use the public API: their scopes, their writes, and why they ended.",
  Audits: "Records of acts: by API keys, on certificates, and in administration.",
  Tenant: "The tenant of the signed-in user, its retention and its quotas.",
  Platform: "The installation as a whole, for the users who run it: tenants, certificate authorities, checks.",
  Session: "Signing in and out of the admin app, and the account of the signed-in user.",
  Users: "The users of the tenant, and invitations.",
  "Service accounts": "Users that cannot sign in, for programs: owners of API keys that no person's leaving ends.",
  Provisioning: "How a device gets its first certificate and renews it.",
};
