import { after, before, describe } from "node:test";
import { type NotificationEnvironment, startEnvironment } from "./environment.ts";
import { deliveryRules } from "./suite-delivery.ts";
import { endingRules, noticeRules } from "./suite-notices.ts";
import { pageRules } from "./suite-pages.ts";

let environment: NotificationEnvironment;
before(async () => {
  environment = await startEnvironment();
});
after(() => environment.stop());

// The order matters: TLS and webhook signatures need the real time, so they come before the clock has advanced far.
describe("notices", () => noticeRules(() => environment));
describe("pages", () => pageRules(() => environment));
describe("delivery", () => deliveryRules(() => environment));
describe("endings", () => endingRules(() => environment));
