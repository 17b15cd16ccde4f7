import type { Page } from "playwright-core";
import type { DemoState } from "../../server/src/demo/demo-state.ts";
import { failingPump, publish } from "../../server/src/demo/simulated-pump.ts";
import { PHONE, type Picture, WIDE } from "./pictures.ts";

/** The vibration of a pump whose bearing was replaced, in mm/s. */
const REPAIRED = 3;
const MOST_READINGS = 50;
const TITLE = "Replace the bearing of the sludge pump";

/**
 * Plays the story: the pump wears out again, and its operator is paged, acknowledges, repairs and completes the ticket.
 * Each chapter acts in the browser and is photographed afterwards, in this order.
 */
export const STORY: readonly Picture[] = [
  {
    ...PHONE,
    name: "story-1-page",
    as: "operator",
    open: async (page, state) => {
      const id = await openAnomalyId(state);
      const { operator, sinks } = state;
      const mail = await sinks.mail.inbox.arrival("the page", ({ to, text }) => {
        return to.includes(operator.email) && decoded(text).includes(id);
      });
      await showMail(page, mail.subject, decoded(mail.text));
    },
  },
  {
    ...PHONE,
    name: "story-2-acknowledged",
    as: "operator",
    open: async (page, state) => {
      await page.goto(`/anomalies/${await openAnomalyId(state)}`);
      await page.getByRole("button", { name: "Acknowledge" }).click();
      await page.getByLabel("Comment").fill("On my way to the pump hall");
      await page.getByRole("dialog").getByRole("button", { name: "Acknowledge" }).click();
      await page.getByRole("dialog").waitFor({ state: "detached" });
      await page.getByText("On my way to the pump hall").waitFor();
      await page.getByRole("img", { name: /^vibration around/ }).waitFor();
      await page.getByText("The anomaly is acknowledged.").waitFor({ state: "detached" });
    },
  },
  {
    ...PHONE,
    name: "story-3-ticket",
    as: "operator",
    open: async (page, state) => {
      await page.goto(`/anomalies/${await anomalyIdIn(state, "acknowledged")}`);
      await page.getByRole("button", { name: "Open a ticket" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Title").fill(TITLE);
      await dialog.getByLabel("Assigned to").selectOption({ label: "me" });
      await dialog.getByRole("button", { name: "Open ticket" }).click();
      await page.getByRole("heading", { name: TITLE }).waitFor();
      await page.getByRole("button", { name: "Start work" }).click();
      await page.getByText("is in progress.").waitFor();
      await page.getByText("is in progress.").waitFor({ state: "detached" });
    },
  },
  {
    ...WIDE,
    name: "story-4-board",
    open: async (page) => {
      await page.goto("/tickets?view=board");
      const column = page.getByRole("region", { name: "In progress", exact: true });
      await column.getByText(TITLE).waitFor();
      await column.getByText("Sludge pump", { exact: true }).waitFor();
      await column.getByText(/@demo\.example$/).waitFor();
    },
  },
  {
    ...WIDE,
    name: "story-5-repaired",
    as: "operator",
    open: async (page, state) => {
      await repair(state);
      await page.goto(`/anomalies/${await anomalyIdIn(state, "resolved")}`);
      await page.getByText("Resolved by").waitFor();
      await page.getByRole("img", { name: /^vibration around/ }).waitFor();
    },
  },
  {
    ...WIDE,
    name: "story-6-completed",
    as: "operator",
    open: async (page, state) => {
      await page.goto(`/anomalies/${await anomalyIdIn(state, "resolved")}`);
      await page.getByRole("link", { name: "Show ticket" }).click();
      await page.getByRole("button", { name: "Complete" }).click();
      await page.getByLabel("Resolution").fill("Bearing replaced, shaft aligned");
      await page.getByRole("dialog").getByRole("button", { name: "Complete" }).click();
      await page.getByRole("dialog").waitFor({ state: "detached" });
      await page.getByRole("button", { name: "Reopen" }).waitFor();
    },
  },
];

/** The anomaly of the story is the newest of its pump. */
async function anomalyIdIn({ maintenanceApi, pumps }: DemoState, status: string): Promise<string> {
  const { deviceId } = failingPump(pumps).identity.device;
  const { items } = await maintenanceApi.expect(200, "GET", `/anomalies?status=${status}&deviceId=${deviceId}`);
  if (items.length === 0) throw new Error(`the pump has no anomaly that is ${status}`);
  return items[0].id;
}

function openAnomalyId(state: DemoState): Promise<string> {
  return anomalyIdIn(state, "open");
}

async function repair({ pumps }: DemoState): Promise<void> {
  const pump = failingPump(pumps);
  pump.wear = 0;
  for (let count = 0; count < MOST_READINGS && pump.reading.vibration > REPAIRED; count++)
    await publish(pump, () => 0.5);
}

/** Shows the mail as a phone's mail program does. */
async function showMail(page: Page, subject: string, text: string): Promise<void> {
  await page.goto("about:blank");
  await page.setContent('<meta name="viewport" content="width=device-width"><h1></h1><pre></pre>');
  await page.addStyleTag({
    content: `:root { color-scheme: light dark; } body { font: 16px/1.5 system-ui, sans-serif; margin: 20px; }
      h1 { font-size: 20px; } pre { font: inherit; white-space: pre-wrap; overflow-wrap: anywhere; }`,
  });
  await page.locator("h1").evaluate((element, content) => element.replaceChildren(content), subject);
  await page.locator("pre").evaluate((element, content) => element.replaceChildren(content), text);
}

/** Returns the text of a mail without the line breaks of its transfer encoding (RFC 2045, 6.7). */
function decoded(text: string): string {
  return text.replaceAll("=\n", "").replaceAll("=3D", "=");
}
