import { after, before, describe } from "node:test";
import { startTicketEnvironment, type TicketEnvironment } from "./environment.ts";
import { ticketFieldRules } from "./suite-fields.ts";
import { ticketListRules } from "./suite-lists.ts";
import { ticketWorkRules } from "./suite-work.ts";

let env: TicketEnvironment;
before(async () => {
  env = await startTicketEnvironment();
});
after(() => env.stop());

describe("fields of tickets", () => ticketFieldRules(() => env));
describe("work on tickets", () => ticketWorkRules(() => env));
describe("lists of tickets", () => ticketListRules(() => env));
