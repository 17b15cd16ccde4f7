import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before } from "node:test";
import type { Page } from "playwright-core";
import { connectMqtt, enrollDevice, newTenant, type TestDevice, type TestTenant } from "../../harness/devices.ts";
import { FakeClock } from "../../harness/fake-clock.ts";
import { assertSoundInAllViews, browserTest, openPage, useSession, type Watched } from "../../harness/http/browser.ts";
import { startServer, type TestServer } from "../../harness/server.ts";
import { type SignedIn, signIn } from "../../harness/sign-in.ts";

const MINUTE = 60_000;
/** One reading per minute for two hours, except for 20 minutes in between. */
const MINUTES = 120;
const isSilent = (minute: number) => minute >= 60 && minute < 80;
const isHot = (minute: number) => minute >= 100 && minute < 110;

let server: TestServer;
let tenant: TestTenant;
let admin: SignedIn;
let device: TestDevice;
/** The time of the first reading. */
let begun: number;

before(async () => {
  // Charts end at the browser's current time.
  const now = Math.floor(Date.now() / MINUTE) * MINUTE - MINUTE;
  begun = now - MINUTES * MINUTE;
  server = await startServer({ clock: new FakeClock(new Date(now)) });
  tenant = await newTenant(server);
  admin = await signIn(server, tenant);
  device = await enrollDevice(server, tenant);
  const { rules, devices } = server.app;
  const pack = await rules.createThreshold(tenant.caller, {
    name: "Bearings",
    rules: [{ metric: "temperature", operator: "gt", value: 90, severity: "major" }],
  });
  await devices.updateDeviceType(tenant.caller, tenant.deviceTypeId, { thresholdIds: [pack.id] });
  await publish();
});
after(() => server?.stop());

async function publish(): Promise<void> {
  const minutes = Array.from({ length: MINUTES }, (_, minute) => minute).filter((minute) => !isSilent(minute));
  const messages = minutes.map((minute) => ({
    ts: begun + minute * MINUTE,
    values: { temperature: isHot(minute) ? 95 : 60 + (minute % 7), "=speed": minute },
  }));
  const client = await connectMqtt(server, device);
  await client.publishAsync(device.topic, JSON.stringify(messages), { qos: 1 });
  await client.endAsync();
}

async function openTelemetry(): Promise<Watched> {
  const window = await openPage(server);
  await useSession(window, server, admin.cookie);
  await window.page.goto(`/devices/${device.deviceId}?tab=telemetry&metric=temperature`);
  return window;
}

browserTest("the ranges of a chart have names in German, too", async () => {
  const window = await openPage(server, { locale: "de-DE", viewport: { width: 390, height: 844 } });
  await useSession(window, server, admin.cookie);
  await window.page.goto(`/devices/${device.deviceId}?tab=telemetry&metric=temperature`);
  const range = window.page.getByLabel("Zeitraum");
  for (const name of ["7 T", "30 T", "1 J"]) await range.getByText(name, { exact: true }).waitFor();
  assert.deepEqual(window.problems, []);
  await window.context.close();
});

const parameter = (page: Page, name: string) => new URL(page.url()).searchParams.get(name);
const chartOf = (page: Page, metric: string) => page.getByRole("img", { name: `${metric} over time` });

/** Returns the range in the address; undefined for a preset. */
function rangeOf(page: Page): { from: number; to: number } | undefined {
  const [from, to] = [parameter(page, "from"), parameter(page, "to")];
  return from && to ? { from: Date.parse(from), to: Date.parse(to) } : undefined;
}

browserTest(
  "the range of a chart is in the address, is changed by dragging and by buttons, and is undone by going back",
  async () => {
    const window = await openTelemetry();
    const { page, context } = window;
    await page.getByLabel("Range").getByText("24 h", { exact: true }).click();
    await chartOf(page, "temperature").waitFor();
    assert.equal(parameter(page, "range"), "24h");
    await page.getByText("100 readings between 60 and 95").waitFor();

    await page.getByLabel("Range").getByText("7 d", { exact: true }).click();
    await page.getByText("(7 days)").waitFor();
    await page.goBack();
    await page.getByText("(24 hours)").waitFor();

    const box = (await chartOf(page, "temperature").locator(".u-over").boundingBox())!;
    await page.mouse.move(box.x + box.width * 0.5, box.y + 50);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.98, box.y + 60, { steps: 4 });
    await page.mouse.up();
    await page.waitForURL(/from=/);
    const dragged = rangeOf(page)!;
    const share = (dragged.to - dragged.from) / (24 * 60 * MINUTE);
    assert.ok(share > 0.45 && share < 0.51, `${share} of the day`);
    await page.getByRole("button", { name: "Zoom in" }).press("Enter");
    await page.waitForURL((url) => url.searchParams.get("from") !== new Date(dragged.from).toISOString());
    const zoomed = rangeOf(page)!;
    assert.ok(Math.abs((zoomed.to - zoomed.from) * 2 - (dragged.to - dragged.from)) <= 2);

    await page.goBack();
    await page.waitForURL((url) => url.searchParams.get("from") === new Date(dragged.from).toISOString());
    assert.deepEqual(rangeOf(page), dragged);
    await page.goBack();
    await page.waitForURL(/range=24h/);
    await page.getByText("100 readings between 60 and 95").waitFor();

    await page.getByRole("button", { name: "From, to" }).click();
    const from = await page.getByLabel("From", { exact: true }).inputValue();
    await page.getByLabel("To", { exact: true }).fill(from);
    await page.getByText("The range ends before it begins, or is too long.").waitFor();
    await page.getByLabel("From", { exact: true }).fill("2020-01-01T00:00:00");
    await page.getByRole("button", { name: "Show", exact: true }).first().click();
    await page.getByText("Nothing was measured in this time").waitFor();
    assert.deepEqual(window.problems, []);
    await context.close();
  },
);

browserTest("a chart marks limits, times without a reading, and anomalies, which link to their page", async () => {
  const window = await openTelemetry();
  const { page, context } = window;
  const dates = new URLSearchParams({
    tab: "telemetry",
    metric: "temperature,=speed",
    from: new Date(begun).toISOString(),
    // An anomaly opens when its reading arrives.
    to: new Date(begun + (MINUTES + 5) * MINUTE).toISOString(),
  });
  await page.goto(`/devices/${device.deviceId}?${dates}`);
  const limit = "Major: temperature is above 90";
  await page.getByRole("img", { name: `temperature over time. Limits: ${limit}.` }).waitFor();
  await chartOf(page, "=speed").waitFor();
  const legends = page.getByRole("list", { name: "What the chart marks" });
  await legends.first().getByRole("link", { name: limit, exact: true }).waitFor();
  await legends.first().getByText("Shaded: 1 anomaly").waitFor();
  assert.equal(await legends.getByText("Hatched: nothing was measured").count(), 2);
  assert.equal(await page.locator(".chart-marks").count(), 1, "no room for marks above a chart without any");
  await assertSoundInAllViews(window, "telemetry of two metrics");

  await page.getByRole("link", { name: new RegExp(`^${limit}, `) }).click();
  await page.getByRole("heading", { name: "temperature is above 90" }).waitFor();
  await page.getByRole("img", { name: `temperature around the anomaly. Limits: ${limit}.` }).waitFor();
  await page.getByRole("button", { name: "Zoom out" }).click();
  await page.waitForURL(/from=/);
  await page.getByRole("button", { name: "Back to the anomaly" }).click();
  await page.waitForURL((url) => !url.searchParams.has("from"));
  assert.deepEqual(window.problems, []);
  await context.close();
});

/** Counts the pixels of the chart that have exactly this colour (red, green, blue). */
async function pixelsOf(page: Page, colour: readonly number[]): Promise<number> {
  const canvas = "document.querySelector('.chart canvas')";
  return await page.evaluate<number>(`(() => {
    const { data } = ${canvas}.getContext("2d").getImageData(0, 0, ${canvas}.width, ${canvas}.height);
    const wanted = ${JSON.stringify(colour)};
    let count = 0;
    for (let at = 0; at < data.length; at += 4) if (wanted.every((each, part) => data[at + part] === each)) count += 1;
    return count;
  })()`);
}

browserTest("the line of the average is drawn above the area between the minimum and the maximum", async () => {
  const window = await openPage(server, { colorScheme: "light" });
  const { page, context } = window;
  await useSession(window, server, admin.cookie);
  await page.goto(`/devices/${device.deviceId}?tab=telemetry&metric=temperature&range=24h`);
  await page.getByText("lowest").waitFor();
  const average = [0x0b, 0x5a, 0x6f];
  const drawn = await pixelsOf(page, average);
  assert.ok(drawn >= MINUTES / 4, `${drawn} pixels`);
  assert.deepEqual(window.problems, []);
  await context.close();
});

browserTest("the downloaded file contains the displayed points: range, metrics, resolution", async () => {
  const window = await openTelemetry();
  const { page, context } = window;
  await page.getByLabel("Range").getByText("24 h", { exact: true }).click();
  await page.getByLabel("Add a metric").selectOption("=speed");
  await chartOf(page, "=speed").waitFor();
  assert.equal(parameter(page, "metric"), "temperature,=speed");
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download CSV" }).click();
  const saved = await download;
  assert.match(saved.suggestedFilename(), new RegExp(`^${device.deviceId}_.*_300s\\.csv$`));
  const [head, ...lines] = readFileSync(await saved.path(), "utf8")
    .trimEnd()
    .split("\r\n");
  const columns = ["average", "lowest", "highest", "readings"];
  assert.equal(
    head,
    ["time", ...["temperature", "'=speed"].flatMap((name) => columns.map((of) => `${name} ${of}`))].join(","),
  );
  const range = { from: new Date(begun - MINUTE).toISOString(), to: server.clock.now().toISOString() };
  const read = async (metric: string) => {
    const query = new URLSearchParams({ metric, bucketSeconds: "300", ...range });
    const { json } = await admin.call("GET", `/devices/${device.deviceId}/series?${query}`);
    return json.points as { at: string; avg: number; min: number; max: number; count: number }[];
  };
  const speeds = await read("=speed");
  const cells = ({ avg, min, max, count }: (typeof speeds)[number]) => [avg, min, max, count];
  const expected = (await read("temperature")).map((point, at) =>
    [point.at, ...cells(point), ...cells(speeds[at]!)].join(","),
  );
  assert.deepEqual(lines, expected);
  await page.getByRole("button", { name: "Remove temperature" }).click();
  await page.waitForURL((url) => url.searchParams.get("metric") === "=speed");
  assert.deepEqual(window.problems, []);
  await context.close();
});
