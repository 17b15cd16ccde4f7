/** The texts of the screen that compares devices. */
export const t = {
  lead: "One metric of several devices over the same time. The address of this page shows others the same charts.",
  view: "View",
  oneChartEach: "One chart each",
  inOneChart: "In one chart",
  chooseDevices: "Choose devices",
  noDeviceChosen: "No device is chosen",
  devicesBelow: "the devices chosen below",
  metric: "Metric",
  someAreShown: (shown: number, total: string) => `${shown} of ${total} are shown.`,
  noNumbers: "None of these devices has published a number",
  metricOf: (metric: string, name: string) => `${metric} of ${name}`,
  metricOfAll: (metric: string) => `${metric} of the devices`,
  nothingMeasured: "Nothing was measured in this time.",
  nothingMeasuredBy: (names: string) => `Nothing was measured in this time by: ${names}`,
  someNotRead: "Some devices could not be read.",
};
