import type { Page } from "playwright-core";
import type { DemoState } from "../../server/src/demo/demo-state.ts";
import { failingPump } from "../../server/src/demo/simulated-pump.ts";

/** A picture of the admin app in the documents. */
export interface Picture {
  /** `docs/images/<name>.png`. */
  name: string;
  width: number;
  height: number;
  scheme: "light" | "dark";
  /** Opens the screen, signed in, and waits until it shows what the picture is for. */
  open(page: Page, state: DemoState): Promise<unknown>;
}

/** A document is read on a page, so a picture has to load quickly. */
export const MOST_BYTES = 200_000;

const WIDE = { width: 1280, height: 800, scheme: "light" } as const;
const PHONE = { width: 390, height: 844, scheme: "dark" } as const;

function failingDevice({ pumps }: DemoState): string {
  return `/devices/${failingPump(pumps).identity.device.deviceId}`;
}

async function waitForChart(page: Page): Promise<void> {
  await page.getByRole("img", { name: /^vibration/ }).waitFor();
}

/** The anomaly of the pump that wears out again. */
async function openAnomaly(page: Page): Promise<void> {
  await page.goto("/anomalies?status=open");
  await page.locator(".table-main a").first().click();
  await page.getByRole("img", { name: /^vibration around/ }).waitFor();
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
];
