import { after, before, describe } from "node:test";
import { startWorld, type World } from "./notifications/environment.ts";
import { deliveryRules } from "./notifications/suite-delivery.ts";
import { endingRules, noticeRules } from "./notifications/suite-notices.ts";
import { pageRules } from "./notifications/suite-pages.ts";

let world: World;
before(async () => {
  world = await startWorld();
});
after(() => world.stop());

// In this order: what needs the real time, for TLS and for a signature, comes before the clock has moved far.
describe("notices", () => noticeRules(() => world));
describe("pages", () => pageRules(() => world));
describe("delivery", () => deliveryRules(() => world));
describe("endings", () => endingRules(() => world));
