import { after, before, describe } from "node:test";
import { startTicketEnvironment, type TicketEnvironment } from "./tickets/environment.ts";
import { ticketFieldRules } from "./tickets/suite-fields.ts";
import { ticketListRules } from "./tickets/suite-lists.ts";
import { ticketWorkRules } from "./tickets/suite-work.ts";

let env: TicketEnvironment;
before(async () => {
  env = await startTicketEnvironment();
});
after(() => env.stop());

describe("fields of tickets", () => ticketFieldRules(() => env));
describe("work on tickets", () => ticketWorkRules(() => env));
describe("lists of tickets", () => ticketListRules(() => env));
