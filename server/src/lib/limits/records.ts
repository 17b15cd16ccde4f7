import { type Limit, limitTable } from "./limit.ts";

const INVALID = "400 invalid_request, naming the field and the limit";

function perRecord(of: string, value: number, reached = INVALID): Limit {
  return { level: "record", of, value, reached, fixed: true };
}

function perRequest(of: string, value: number, reached = INVALID): Limit {
  return { level: "request", of, value, reached, fixed: true };
}

/**
 * The limits of one record of a tenant, and of one request. The API description contains these values, so they
 * are the same everywhere.
 */
export const records = limitTable({
  nameCharacters: perRecord("characters of a name", 120),
  externalIdCharacters: perRecord("characters of an external id", 128),
  descriptionCharacters: perRecord("characters of a description or a comment", 2_000),
  membersOfGroup: perRecord("members of a group", 500),
  channelsOfGroup: perRecord("channels of a group", 20),
  stepsOfGroup: perRecord("escalation steps of a group", 10),
  shiftsOfGroup: perRecord("shifts of a group", 100),
  usersOfShift: perRecord("users of a shift", 500),
  turnsOfShift: perRecord("turns of a shift's rotation", 52),
  usersOfTurn: perRecord("users of one turn of a rotation", 10),
  overridesOfGroup: perRecord("overrides and offers of duties in a group, with those of the last 30 days", 200),
  daysOfOverride: perRecord("days from now to the end of an override of duties", 366),
  devicesOfWindow: perRecord("devices named by a maintenance window", 500),
  snoozeDays: perRecord("days of a snooze", 30),
  muteDays: perRecord("days of a muted rule", 366),
  windowDays: perRecord("days from the start of a maintenance window to its end", 92),
  targetCharacters: perRecord("characters of a webhook's address", 2_048),
  groupsOfDevice: perRecord("groups of a device, or of the devices of a claim", 100),
  scimGroups: perRecord("groups that a tenant's identity provider keeps", 1_000),
  scimMembers: perRecord("members of a group that the identity provider keeps", 10_000),
  scimValues: perRecord("values of an attribute of a user that the identity provider keeps", 20),
  scimResults: perRecord("resources of one page of a list by SCIM", 100),
  thresholdsOfDevice: perRecord("threshold packs of a device, and of a device type", 100),
  metadataBytes: perRecord("bytes of a device's metadata as JSON", 16 * 1_024),
  metadataFields: perRecord("fields of a device's metadata", 100),
  metadataDepth: perRecord("levels of nesting in a device's metadata", 8),
  topicsOfDeviceType: perRecord("publish topics, and as many subscribe topics, of a device type", 20),
  metricsOfDeviceType: perRecord("metrics that a device type describes", 200),
  unitCharacters: perRecord("characters of a metric's unit", 32),
  pointerCharacters: perRecord("characters of a JSON Pointer of a device type", 256),
  topicsOfMqttClient: perRecord("publish topics, and as many subscribe filters, of an MQTT client", 100),
  rulesOfThreshold: perRecord("rules of a threshold pack", 50),
  conditionsOfRule: perRecord("conditions of a rule", 5),
  daysOfDeviation: perRecord("days of a rule's average", 30),
  ruleMessageCharacters: perRecord("characters of a rule's message", 500),
  usesOfClaim: perRecord("uses of a claim", 100, "400 invalid_claim_request, naming the limit"),
  minutesOfClaim: perRecord("minutes until a claim expires", 1_440, "400 invalid_claim_request, naming the limit"),
  bundlesOfDevice: perRecord("live platform-generated certificates of a device", 2, "409 device_cert_cap_reached"),
  daysOfServiceAccount: perRecord("days until a service account ends", 400),
  rangesOfServiceAccount: perRecord("address ranges of a service account", 32),
  overlapHoursOfKey: perRecord("hours that an API key keeps working after its rotation", 168),
  reportedCharacters: perRecord("characters of a field that a device reports about itself", 256),
  capabilitiesOfDevice: perRecord("capabilities that a device reports", 64),
  ticketTitleCharacters: perRecord("characters of a ticket's title", 200),
  ticketTextCharacters: perRecord(
    "characters of a ticket's description, of its resolution, and of a comment on it",
    10_000,
  ),
  filtersOfUser: perRecord("saved filters of a user and list", 20),
  fieldsOfFilter: perRecord("fields of a saved filter", 40),
  requestBytes: perRequest("bytes of a body of the public and the admin API", 256 * 1_024, "413 payload_too_large"),
  deviceRequestBytes: perRequest("bytes of a body of a device-facing endpoint", 16 * 1_024, "413 payload_too_large"),
  requestDepth: perRequest("levels of nesting in a body", 16),
  operationsOfBatch: perRequest("operations of a batch", 50),
  problemsOfRequest: perRequest("problems of a request that its refusal lists", 50, "the first ones are listed"),
  csrCharacters: perRequest("characters of a certificate signing request", 8 * 1_024, "400 invalid_csr"),
  searchCharacters: perRequest("characters of a search text (q)", 200),
  countedAhead: perRequest(
    "matches counted beyond the page in a list of devices, certificates, anomalies, tickets, messages or audit entries in the admin API",
    10_000,
    "the answer says that the total is a lower bound",
  ),
  searchRows: perRequest("records read by a search for part of a name (q)", 1_000_000),
  sortedMatches: perRequest("matches of a search (q) that can be sorted", 10_000),
  namedActors: perRequest("history actors whose names are requested", 100),
  devicesOfChange: perRequest("devices in one bulk change", 500),
  anomaliesOfAcknowledgement: perRequest("anomalies that one request acknowledges", 200),
  entriesOfTimeline: perRequest("entries in one answer of a device's timeline", 200),
  readingsOfPage: perRequest("readings in one page of a metric's history", 1_000),
  metricsOfPage: perRequest("metrics of devices that one page of readings reads", 100, "the page is short"),
  seriesOfPage: perRequest("series in one page", 20),
  bucketsOfChart: perRequest("points of one chart", 2_000),
  followedDevices: perRequest("devices whose telemetry one live stream follows", 500),
  dryRunDevices: perRequest("devices that a dry run evaluates", 1_000, "the run stops, and its answer says so"),
  dryRunReadings: perRequest("readings that a dry run evaluates", 2_000_000, "the run stops, and its answer says so"),
  dryRunAnomalies: perRequest("anomalies that a dry run lists", 1_000, "the run stops, and its answer says so"),
  dryRunSeconds: {
    level: "request",
    of: "seconds of a dry run",
    value: 10,
    reached: "the run stops, and its answer says so",
  },
  waitingDryRuns: {
    level: "tenant",
    of: "dry runs of a tenant waiting for another, in one process",
    value: 1,
    reached: "429 rate_limited with Retry-After",
    fixed: true,
  },
  requestsPerKey: {
    level: "tenant",
    of: "requests in any 60 seconds with one API key",
    value: 120,
    reached: "429 rate_limited with Retry-After",
    fixed: true,
  },
  guessesPerAddress: {
    level: "address",
    of: "unknown claim codes in 10 minutes from one address block (IPv4 /32, IPv6 /64)",
    value: 30,
    reached: "429 rate_limited with Retry-After; it never refuses known codes",
    fixed: true,
  },
  waitingSearches: {
    level: "tenant",
    of: "a tenant's searches (q) of long lists, and lists in an order without an index, waiting for another, in one process",
    value: 8,
    reached: "429 rate_limited with Retry-After",
    fixed: true,
  },
});
