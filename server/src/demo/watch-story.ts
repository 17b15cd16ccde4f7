import { ADMIN, type Person, type Plant, TENANT } from "./plant.ts";
import { PublicApi } from "./public-api.ts";
import { expect, type Step } from "./step.ts";

const MAINTENANCE_SCOPES = ["anomalies:read", "anomalies:write", "tickets:read", "tickets:write"];

/** Of vibration, in mm/s. */
export const LIMIT = 7.1;

const EVERY_DAY = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

const PACK = {
  name: "Pump bearings",
  rules: [
    {
      metric: "vibration",
      operator: "gt",
      value: LIMIT,
      clearValue: 4.5,
      severity: "critical",
      message: "The bearing vibrates",
    },
    { metric: "pressure", operator: "outside", value: [1, 8], severity: "major", message: "The pressure is off" },
  ],
};

/** Who watches the pumps, and what counts as a fault. */
export function watchStory(): Step[] {
  return [
    {
      title: "an operator on a shift that is on duty now, in the crew that looks after the pumps",
      run: async (plant) => {
        const { watch, api } = plant;
        watch.operator = await newOperator(plant, "operator");
        watch.leader = await newOperator(plant, "leader");
        watch.api = await maintenanceKey(plant);
        const crew = await api.expect(201, "POST", "/groups", {
          name: "Pump crew",
          memberUserIds: [watch.operator.id, watch.leader.id],
          escalation: [
            { afterMinutes: 0, notify: "shift" },
            { afterMinutes: 1, notify: "members" },
          ],
        });
        watch.crewId = crew.id;
        const shift = await newShift(plant);
        expect((await api.expect(200, "GET", `/shifts/${shift}`)).onDuty, "the shift is not on duty");
        await api.expect(200, "POST", `/groups/${crew.id}/shifts`, { shiftId: shift });
        return `${watch.operator.email}; a minute later, all of the crew`;
      },
    },
    {
      title: "a control room that is told by e-mail and webhook",
      run: async ({ watch, api, sinks }) => {
        const room = await api.expect(201, "POST", "/groups", {
          name: "Control room",
          channels: [
            { type: "email", target: "control-room@demo.example" },
            { type: "webhook", target: sinks.webhook.url },
          ],
          escalation: [{ afterMinutes: 0, notify: "channels" }],
        });
        watch.controlRoomId = room.id;
        return sinks.webhook.url;
      },
    },
    {
      title: "a threshold pack on every pump, each in both groups and under its own name",
      run: async ({ watch, api, pumps, deviceTypeId }) => {
        const pack = await api.expect(201, "POST", "/thresholds", PACK);
        for (const { name, identity } of pumps) {
          const device = await api.expect(200, "PUT", `/devices/${identity.device.deviceId}`, {
            name,
            deviceTypeId,
            groupIds: [watch.crewId, watch.controlRoomId],
            thresholdIds: [pack.id],
          });
          expect(device.thresholdIds[0] === pack.id, `${name} has no threshold pack`);
        }
        return `${pack.name}: vibration over ${LIMIT} mm/s`;
      },
    },
  ];
}

async function newOperator({ service }: Plant, name: string): Promise<Person> {
  const email = `${name}@demo.example`;
  const { id } = await service.command("user.create", { tenant: TENANT, email, role: "operator" });
  return { id: String(id), email };
}

/** A key of its own for the system the crew works with: it can look after faults and nothing else. */
async function maintenanceKey({ service }: Plant): Promise<PublicApi> {
  const request = { tenant: TENANT, user: ADMIN, name: "maintenance", scopes: MAINTENANCE_SCOPES };
  const { key } = await service.command("key.create", request);
  return new PublicApi(service.baseUrl, service.ca, String(key));
}

/** Around the clock, so that somebody is on duty whenever the demo runs. */
async function newShift({ service, watch }: Plant): Promise<string> {
  const { id } = await service.command("shift.create", {
    tenant: TENANT,
    name: "Around the clock",
    timeZone: "UTC",
    startTime: "00:00",
    endTime: "00:00",
    daysOfWeek: EVERY_DAY,
    users: [watch.operator.email],
  });
  return String(id);
}
