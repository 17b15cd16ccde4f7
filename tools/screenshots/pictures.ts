import type { Page } from "playwright-core";
import { type DemoState, TENANT } from "../../server/src/demo/demo-state.ts";
import { failingPump } from "../../server/src/demo/simulated-pump.ts";

/** A picture of the admin app in the documents. */
export interface Picture {
  /** `docs/images/<name>.png`. */
  name: string;
  width: number;
  height: number;
  scheme: "light" | "dark";
  /** The signed-in user, if not the administrator. */
  as?: "operator";
  /** Opens the screen, signed in, and waits until it shows the picture's subject. */
  open(page: Page, state: DemoState): Promise<unknown>;
}

/** The size limit: a picture in a document must load quickly. */
export const MOST_BYTES = 200_000;

export const WIDE = { width: 1280, height: 800, scheme: "light" } as const;
export const PHONE = { width: 390, height: 844, scheme: "dark" } as const;

function failingDevice({ pumps }: DemoState): string {
  return `/devices/${failingPump(pumps).identity.device.deviceId}`;
}

async function waitForChart(page: Page): Promise<void> {
  await page.getByRole("img", { name: /^vibration/ }).waitFor();
}

/** Returns the anomaly of the pump that wears out again. */
async function openAnomaly(page: Page): Promise<void> {
  await page.goto("/anomalies?status=open");
  await page.locator(".table-main a").first().click();
  await page.getByRole("img", { name: /^vibration around/ }).waitFor();
}

/**
 * Creates a group whose days and weekday nights leave the weekend's nights uncovered.
 * @returns its id
 */
async function addBoilerHouse({ api, service, operator, leader }: DemoState): Promise<string> {
  const escalation = [{ afterMinutes: 0, notify: "shift" }];
  const { id } = await api.expect(201, "POST", "/groups", { name: "Boiler house", escalation });
  const weekdays = ["mon", "tue", "wed", "thu", "fri"];
  const shifts = [
    {
      name: "Days",
      startTime: "06:00",
      endTime: "18:00",
      daysOfWeek: [...weekdays, "sat", "sun"],
      users: [leader.email],
    },
    { name: "Nights", startTime: "18:00", endTime: "06:00", daysOfWeek: weekdays, users: [operator.email] },
  ];
  for (const shift of shifts) {
    const made = await service.command("shift.create", { tenant: TENANT, timeZone: "Europe/Berlin", ...shift });
    await api.expect(200, "POST", `/groups/${id}/shifts`, { shiftId: String(made.id) });
  }
  return String(id);
}

/** The vertical position of the content below the app's header, in pixels. */
const UNDER_HEADER = 72;

/** Quiet hours are not saved, because the story continues with this user. */
async function openOwnNotifications(page: Page): Promise<void> {
  await page.goto("/account");
  await page.getByRole("button", { name: "Add a channel", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Address").fill("olga@home.example");
  await dialog.getByRole("button", { name: "Add channel", exact: true }).click();
  await dialog.waitFor({ state: "detached" });
  const channels = page.getByRole("table", { name: "Your channels" });
  await channels.getByText("Waits for its receiver").waitFor();
  await page.getByLabel("Quiet hours, every day").check();
  await page.getByRole("status").getByText("Its receiver gets a link").waitFor({ state: "detached" });
  const { y } = (await page.getByRole("heading", { name: "Your channels" }).boundingBox())!;
  await page.evaluate(`window.scrollBy(0, ${y - UNDER_HEADER})`);
}

export const PICTURES: readonly Picture[] = [
  {
    ...WIDE,
    name: "device",
    open: async (page, state) => {
      await page.goto(`${failingDevice(state)}?tab=telemetry&metric=vibration&range=1h`);
      await waitForChart(page);
    },
  },
  {
    ...WIDE,
    name: "connect",
    open: async (page) => {
      await page.goto("/connect");
      await page.getByLabel("Name", { exact: true }).fill("Feed pump 1");
      await page.getByRole("button", { name: "Continue" }).click();
      await page.getByText("Muster agent", { exact: true }).click();
      await page.getByText("npx muster-agent run").waitFor();
    },
  },
  {
    ...WIDE,
    name: "refusals",
    open: async (page) => {
      await page.goto("/refusals");
      await page.getByText("What to do:").first().waitFor();
    },
  },
  {
    ...PHONE,
    name: "phone",
    open: async (page, state) => {
      await page.goto(`${failingDevice(state)}?tab=telemetry&metric=vibration&range=1h`);
      await waitForChart(page);
    },
  },
  { ...WIDE, name: "anomaly", open: openAnomaly },
  {
    ...PHONE,
    name: "acknowledge",
    open: async (page) => {
      await openAnomaly(page);
      await page.getByRole("button", { name: "Acknowledge" }).click();
      await page.getByLabel("Comment").fill("On my way to the pump hall");
    },
  },
  {
    ...WIDE,
    name: "ticket",
    open: async (page, { ticketId }) => {
      await page.goto(`/tickets/${ticketId}`);
      await page.getByRole("table", { name: "History of the ticket" }).getByText("Opened").waitFor();
    },
  },
  {
    ...WIDE,
    name: "week",
    open: async (page, state) => {
      await page.goto(`/shifts?group=${await addBoilerHouse(state)}`);
      await page.getByText(`Nights: ${state.operator.email}`).first().waitFor();
      await page.getByRole("table", { name: "Shifts" }).getByText(state.leader.email).waitFor();
      await page.getByText("Live", { exact: true }).waitFor();
    },
  },
  { ...WIDE, name: "own-notifications", as: "operator", open: openOwnNotifications },
];
