/** The description of each group of operations, in the order of the documents. */
export const TAGS: Readonly<Record<string, string>> = {
  Overview: "What spans records of every kind: the numbers of the home screen, and the search field.",
  Devices:
    "What is watched. A device comes into being when it enrolls with a claim, or when an administrator adds it; its id is its MQTT client id and never changes.",
  Telemetry: "What devices have published: latest values, readings, and charts of any length.",
  Groups:
    "Notification groups: who sees which devices, how members are notified, and the steps of escalation. Shifts are assigned to groups.",
  Shifts:
    "Who is on duty when, in local wall time of the shift's own time zone. Shifts are made in the admin app, or at the service's own shell with `muster shift create`.",
  "On call": "Who is reached, now and in the next seven days.",
  Thresholds: "Reusable packs of rules over telemetry. A device is watched by the packs that it names.",
  Anomalies: "What the rules found: one unresolved anomaly a device and rule, open until it is over.",
  Notifications: "Messages to people and webhooks: who was notified when, and how it went.",
  Tickets: "Maintenance tickets: work on a device, from its opening to its completion.",
  "Enrollment claims":
    "Claim codes with which devices enroll themselves. A code is shown once, when its claim is made, and lives for at most 24 hours.",
  "Device certificates":
    "The certificates that devices connect with: what there is, who issued and revoked it, bundles for devices that cannot make a key, and revocation.",
  Refusals: "Clients that the broker refused, with cause and cure.",
  Events: "What happens in the tenant, as it happens.",
  Webhooks:
    "Addresses of other systems to which groups' pages are sent, signed as Standard Webhooks specifies. A webhook is a channel of a group.",
  "Device types":
    "What devices have in common: the topics of their certificates, threshold packs, how long they may be silent.",
  "MQTT clients": "Gateways and services that connect with user name and password, each under one client id.",
  "API keys": "Keys for programs that use the public API: their scopes, what they wrote, and why they ended.",
  Audits: "What was done: by API keys, to certificates, and in administration.",
  Tenant: "The tenant of the signed-in user, its retention and its quotas.",
  Platform: "The installation as a whole, for the users who run it: tenants, certificate authorities, checks.",
  Session: "Signing in and out of the admin app, and the account of the user who is signed in.",
  Users: "The users of the tenant, and invitations.",
  Provisioning: "How a device gets its first certificate and renews it.",
};
