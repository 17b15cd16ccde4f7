import type { PlantFile } from "../../src/plant/plant.ts";

type Counts = Record<"devices" | "groups" | "thresholds" | "shifts", number>;

const of = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at + 1));

/**
 * Returns a plant of so many records, which refer to each other, with two device types and an MQTT client.
 *
 * @param clientId a client id that no other tenant has
 */
export function plantOf({ devices, groups, thresholds, shifts }: Counts, clientId: string): PlantFile {
  return {
    thresholds: of(thresholds, (n) => ({
      key: `pack-${n}`,
      name: `Pack ${n}`,
      rules: [{ metric: "temperature", operator: "gt", value: 80 + n, severity: "major" }],
    })),
    deviceTypes: of(2, (n) => ({
      key: `type-${n}`,
      name: `Type ${n}`,
      publishTopics: ["telemetry/{deviceId}"],
      thresholds: ["pack-1"],
      silentForSeconds: 900,
    })),
    shifts: of(shifts, (n) => ({
      key: `shift-${n}`,
      name: `Shift ${n}`,
      timeZone: "Europe/Berlin",
      startTime: "22:00",
      endTime: "06:00",
      daysOfWeek: ["mon", "tue"],
      validFrom: "2026-11-01",
    })),
    groups: of(groups, (n) => ({
      key: `group-${n}`,
      name: `Group ${n}`,
      channels: [{ type: "webhook", target: `https://hooks.acme.example/${n}` }],
      escalation: [
        { afterMinutes: 0, notify: "shift" },
        { afterMinutes: 15, notify: "channels" },
      ],
      shifts: [`shift-${1 + (n % shifts)}`],
    })),
    devices: of(devices, (n) => ({
      id: `pump-${n}`,
      name: `Pump ${n}`,
      deviceType: `type-${1 + (n % 2)}`,
      groups: ["group-1"],
      thresholds: [`pack-${1 + (n % thresholds)}`],
      metadata: { hall: 3, place: { row: n, column: 1 } },
    })),
    mqttClients: [{ clientId, username: clientId, subscribe: [] }],
  };
}
