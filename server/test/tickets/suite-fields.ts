import assert from "node:assert/strict";
import { test } from "node:test";
import { MINUTE } from "../../src/lib/clock.ts";
import type { TicketRecord } from "../../src/tickets/tickets.ts";
import type { HttpAnswer } from "../harness/http/http-answer.ts";
import { assertRefused, NOWHERE, type TicketEnvironment } from "./environment.ts";

/** The fields of a ticket: opening, patching, validation. */
export function ticketFieldRules(given: () => TicketEnvironment): void {
  test("a ticket needs only a title, and its record has every field", async () => {
    const { server, ask, post, keyId } = given();
    const answer = await post({ title: " Grease the bearing " });
    assert.equal(answer.status, 201);
    const now = server.clock.now().toISOString();
    assert.deepEqual(answer.json, {
      id: answer.json.id,
      number: answer.json.number,
      title: "Grease the bearing",
      description: "",
      type: "corrective",
      priority: "medium",
      status: "open",
      deviceId: null,
      anomalyId: null,
      groupId: null,
      assigneeUserId: null,
      dueAt: null,
      resolution: null,
      createdBy: `apikey:${keyId()}`,
      createdAt: now,
      updatedAt: now,
      startedAt: null,
      completedAt: null,
    });
    assert.deepEqual((await ask(`/${answer.json.id}`)).json, answer.json);
  });

  test("a ticket is opened with every writable field", async () => {
    const { server, tenant, opened, addDevice } = given();
    const deviceId = await addDevice();
    const group = await server.app.groups.createGroup(tenant.caller, { name: "Crew" });
    const body = {
      title: "Inspect",
      description: "Twice a year.\nTake the long ladder.",
      type: "inspection",
      priority: "urgent",
      deviceId,
      groupId: group.id,
      assigneeUserId: tenant.admin.id,
      dueAt: "2027-01-02T03:04:05.006+02:00",
    };
    const made = await opened(body);
    assert.deepEqual({ ...made }, { ...made, ...body, dueAt: "2027-01-02T01:04:05.006Z" });
    const none = { deviceId: null, anomalyId: null, groupId: null, assigneeUserId: null, dueAt: null };
    assert.equal((await opened(none)).deviceId, null);
  });

  test("a merge patch changes the given fields, empties those that are null, and keeps the rest", async () => {
    const { server, tenant, ask, patch, opened, addDevice } = given();
    const deviceId = await addDevice();
    const group = await server.app.groups.createGroup(tenant.caller, { name: "Crew" });
    const full = {
      title: "Valve",
      description: "sticks",
      type: "preventive",
      priority: "high",
      deviceId,
      groupId: group.id,
      assigneeUserId: tenant.admin.id,
      dueAt: "2027-01-01T00:00:00.000Z",
      resolution: "oiled",
    };
    let { id, ...before } = await opened();
    for (const [field, value] of Object.entries(full)) {
      server.clock.advance(1);
      const { json, status } = await patch(id, { [field]: value }, { "content-type": "application/merge-patch+json" });
      const updatedAt = server.clock.now().toISOString();
      assert.deepEqual([status, json], [200, { id, ...before, [field]: value, updatedAt }], field);
      before = { ...before, [field]: value, updatedAt } as unknown as typeof before;
    }
    for (const field of ["deviceId", "groupId", "assigneeUserId", "dueAt", "resolution"]) {
      const { json, status } = await patch(id, { [field]: null });
      assert.deepEqual([status, json[field]], [200, null], field);
    }
    const emptied = (await ask(`/${id}`)).json;
    assert.deepEqual([emptied.title, emptied.description, emptied.type], ["Valve", "sticks", "preventive"]);
    server.clock.advance(MINUTE);
    for (const nothing of [{}, { title: "Valve" }, { dueAt: null, status: "open" }])
      assert.deepEqual((await patch(id, nothing)).json, emptied);
  });

  test("a patch with a wrong, unknown or read-only field is 400 and changes nothing", async () => {
    const { ask, patch, opened } = given();
    const ticket = await opened();
    const refused: [body: unknown, detail?: string | undefined][] = [
      [{ title: null }, "title"],
      [{ title: "" }, "title"],
      [{ title: "  " }, "title"],
      [{ title: "x".repeat(201) }, "title"],
      [{ title: "two\nlines" }, "title"],
      [{ title: 1 }, "title"],
      [{ description: null }, "description"],
      [{ description: "x".repeat(10_001) }, "description"],
      [{ description: "bell\u0007" }],
      [{ type: null }, "type"],
      [{ type: "Corrective" }, "type"],
      [{ priority: "highest" }, "priority"],
      [{ priority: 1 }, "priority"],
      [{ status: null }, "status"],
      [{ status: "done" }, "status"],
      [{ status: ["open"] }, "status"],
      [{ deviceId: 7 }, "deviceId"],
      [{ deviceId: "" }, "deviceId"],
      [{ groupId: [] }, "groupId"],
      [{ assigneeUserId: {} }, "assigneeUserId"],
      [{ dueAt: "tomorrow" }, "dueAt"],
      [{ dueAt: "2027-02-30T00:00:00Z" }, "dueAt"],
      [{ dueAt: "2027-01-01" }, "dueAt"],
      [{ dueAt: "0000-01-01T00:00:00Z" }, "dueAt"],
      [{ dueAt: "9999-12-31T23:59:59-10:00" }, "dueAt"],
      [{ dueAt: 1_800_000_000 }, "dueAt"],
      [{ resolution: 5 }, "resolution"],
      [{ resolution: "x".repeat(10_001) }, "resolution"],
      [{ nonsense: 1 }, "nonsense"],
      [{ tenantId: NOWHERE }, "tenantId"],
      ...["id", "number", "createdBy", "createdAt", "updatedAt", "startedAt", "completedAt"].map(
        (field): [unknown, string] => [{ [field]: ticket[field as keyof TicketRecord] }, field],
      ),
      [[{ title: "x" }]],
      [null],
      ["x"],
      ["{", undefined],
    ];
    for (const [body, detail] of refused) assertRefused(await patch(ticket.id, body), 400, "invalid_request", detail);
    assertRefused(await ask(`/${ticket.id}`, { method: "PATCH" }), 400, "invalid_request");
    assert.deepEqual((await ask(`/${ticket.id}`)).json, ticket);
  });

  test("a ticket with a wrong, unknown or read-only field is not opened", async () => {
    const { ask, post } = given();
    const { total } = (await ask("?limit=1")).json;
    const refused: [body: unknown, detail?: string | undefined][] = [
      [{}, "title"],
      [{ title: "x", status: "completed" }, "status"],
      [{ title: "x", resolution: "done" }, "resolution"],
      [{ title: "x", number: 1 }, "number"],
      [{ title: "x", createdBy: "system" }, "createdBy"],
      [{ title: "x", type: "other" }, "type"],
      [{ title: "x", dueAt: "1969-12-31T23:59:59Z" }, "dueAt"],
      [{ title: "x".repeat(201) }, "title"],
      [{ title: "x", description: null }, "description"],
      [[]],
    ];
    for (const [body, detail] of refused) assertRefused(await post(body), 400, "invalid_request", detail);
    assert.equal((await ask("?limit=1")).json.total, total);
  });

  test("another tenant's id is 400 with the id in detail, byte for byte like an unknown id", async () => {
    const { server, otherTenant, ask, post, patch, opened, addDevice, anomalyOf } = given();
    const theirs = await addDevice(otherTenant, { id: "their-pump" });
    const foreign = {
      deviceId: theirs,
      anomalyId: await anomalyOf(theirs, otherTenant),
      groupId: (await server.app.groups.createGroup(otherTenant.caller, { name: "x" })).id,
      assigneeUserId: otherTenant.admin.id,
    };
    const { id } = await opened();
    const shape = ({ status, text }: HttpAnswer, used: string) =>
      `${status} ${text.replace(/"requestId":"[^"]*"/, "").replaceAll(used, "…")}`;
    for (const [field, bad] of Object.entries(foreign)) {
      for (const send of [(body: object) => post({ title: "x", ...body }), (body: object) => patch(id, body)]) {
        const answer = await send({ [field]: bad });
        assertRefused(answer, 400, "invalid_request", bad);
        for (const unknown of [NOWHERE, "no-uuid", "NUL-\u00e9", NOWHERE.toUpperCase().replace("7", "A")])
          assert.equal(shape(await send({ [field]: unknown }), unknown), shape(answer, bad), `${field} ${unknown}`);
      }
    }
    const { id: secret } = await server.app.tickets.openTicket(otherTenant.caller, { title: "theirs" });
    const answers = [secret, NOWHERE, "no-uuid", "%F0%9F%92%A5"].map(async (other) => {
      const [read, written] = [await ask(`/${other}`), await patch(other, { title: "mine" })];
      assertRefused(read, 404, "not_found");
      return shape(read, other) + shape(written, other);
    });
    assert.equal(new Set(await Promise.all(answers)).size, 1);
    assert.equal((await server.app.tickets.getTicket(otherTenant.caller, secret)).title, "theirs");
  });
}
