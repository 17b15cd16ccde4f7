import { ADMIN, type DemoState, TENANT, type User } from "./demo-state.ts";
import { openLink, PublicApi } from "./public-api.ts";
import { eventually, expect, type Step } from "./step.ts";

const MAINTENANCE_SCOPES = ["anomalies:read", "anomalies:write", "tickets:read", "tickets:write"];

/** The vibration limit, in mm/s. */
export const VIBRATION_LIMIT = 7.1;

const CONTROL_ROOM = "control-room@demo.example";
/** The maximum time from the creation of a group to its webhook's answer. */
const CONFIRMED_MS = 40_000;

const EVERY_DAY = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

const PACK = {
  name: "Pump bearings",
  rules: [
    {
      metric: "vibration",
      operator: "gt",
      value: VIBRATION_LIMIT,
      clearValue: 4.5,
      severity: "critical",
      message: "The bearing vibrates",
    },
    { metric: "pressure", operator: "outside", value: [1, 8], severity: "major", message: "The pressure is off" },
  ],
};

/** The users, groups and rules that monitor the pumps. */
export const monitoringSteps: readonly Step[] = [
  {
    title: "A maintenance group has an escalation and a shift that is on duty",
    run: async (state) => {
      const { api } = state;
      state.operator = await newOperator(state, "operator");
      state.leader = await newOperator(state, "leader");
      state.maintenanceApi = await newMaintenanceApi(state);
      const group = await api.expect(201, "POST", "/groups", {
        name: "Maintenance",
        memberUserIds: [state.operator.id, state.leader.id],
        escalation: [
          { afterMinutes: 0, notify: "shift" },
          { afterMinutes: 1, notify: "members" },
        ],
      });
      state.maintenanceGroupId = group.id;
      const shift = await newShift(state);
      expect((await api.expect(200, "GET", `/shifts/${shift}`)).onDuty, "the shift is not on duty");
      await api.expect(200, "POST", `/groups/${group.id}/shifts`, { shiftId: shift });
      return `first ${state.operator.email}; a minute later all members`;
    },
  },
  {
    title: "A control room group notifies an e-mail address and a webhook",
    run: async (state) => {
      const { webhook } = state.sinks;
      const room = await state.api.expect(201, "POST", "/groups", {
        name: "Control room",
        channels: [
          { type: "email", target: CONTROL_ROOM },
          { type: "webhook", target: webhook.url },
        ],
        escalation: [{ afterMinutes: 0, notify: "channels" }],
      });
      state.controlRoomId = room.id;
      return webhook.url;
    },
  },
  {
    title: "The receivers confirm both channels before anything else is sent there",
    run: async ({ service, sinks }) => {
      const mail = await sinks.mail.inbox.arrival("the confirmation link", ({ to }) => to.includes(CONTROL_ROOM));
      const link = new URL(/https:\/\/\S+\/confirm\/\S+/.exec(mail.text.replaceAll("=\n", ""))![0]);
      expect((await openLink("GET", link, service.ca)).includes("<button"), "the page of the link has no button");
      expect((await openLink("POST", link, service.ca)).includes("Confirmed"), "the link confirmed nothing");
      const channels = await eventually("the confirmation", CONFIRMED_MS, async () => {
        const items = (await service.command("channel.list", { tenant: TENANT })).items as {
          confirmedBy: string | null;
        }[];
        return items.every(({ confirmedBy }) => confirmedBy !== null) ? items : undefined;
      });
      return `${CONTROL_ROOM} by its link, the webhook by its answer: ${channels.length} of ${channels.length}`;
    },
  },
  {
    title: "Every pump gets a name, a threshold pack and both groups",
    run: async ({ api, pumps, deviceTypeId, maintenanceGroupId, controlRoomId }) => {
      const pack = await api.expect(201, "POST", "/thresholds", PACK);
      for (const { name, identity } of pumps) {
        const device = await api.expect(200, "PUT", `/devices/${identity.device.deviceId}`, {
          name,
          deviceTypeId,
          groupIds: [maintenanceGroupId, controlRoomId],
          thresholdIds: [pack.id],
        });
        expect(device.thresholdIds[0] === pack.id, `${name} has no threshold pack`);
      }
      return `${pack.name}: vibration over ${VIBRATION_LIMIT} mm/s`;
    },
  },
];

async function newOperator({ service }: DemoState, name: string): Promise<User> {
  const email = `${name}@demo.example`;
  const { id } = await service.command("user.create", { tenant: TENANT, email, role: "operator" });
  return { id: String(id), email };
}

/** Returns a client whose key is limited to anomalies and tickets, as for a maintenance system. */
async function newMaintenanceApi({ service }: DemoState): Promise<PublicApi> {
  const request = { tenant: TENANT, user: ADMIN, name: "maintenance", scopes: MAINTENANCE_SCOPES };
  const { key } = await service.command("key.create", request);
  return new PublicApi(service.baseUrl, service.ca, String(key));
}

/** Creates a shift around the clock, so that the operator is on duty whenever the demo runs. @returns its id */
async function newShift({ service, operator }: DemoState): Promise<string> {
  const { id } = await service.command("shift.create", {
    tenant: TENANT,
    name: "Around the clock",
    timeZone: "UTC",
    startTime: "00:00",
    endTime: "00:00",
    daysOfWeek: EVERY_DAY,
    users: [operator.email],
  });
  return String(id);
}
