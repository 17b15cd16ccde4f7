import assert from "node:assert/strict";
import { test } from "node:test";
import type { Caller } from "../../src/access/access.ts";
import { MINUTE } from "../../src/lib/clock.ts";
import type { TicketRecord } from "../../src/tickets/tickets.ts";
import { newKey, newTenant } from "../harness/devices.ts";
import type { HttpAnswer } from "../harness/http/http-answer.ts";
import { https } from "../harness/http/https.ts";
import { assertRefused, page, type TicketEnvironment } from "./environment.ts";

/** Preconditions, history, lists and visibility of tickets. */
export function ticketListRules(given: () => TicketEnvironment): void {
  test("when two patches have one If-Match, one succeeds and the other is 412", async () => {
    const { ask, patch, opened } = given();
    const { id } = await opened();
    for (let round = 0; round < 5; round++) {
      const { etag } = (await ask(`/${id}`)).headers;
      const patches = ["one", "two"].map((title) => patch(id, { title: `${title} ${round}` }, { "if-match": etag }));
      const statuses = (await Promise.all(patches)).map(({ status }) => status);
      assert.deepEqual(statuses.sort(), [200, 412]);
    }
    assertRefused(await patch(id, { status: "completed" }, { "if-match": '"old"' }), 412, "precondition_failed");
    const unchanged = await patch(id, {});
    const current = await patch(id, { title: "last" }, { "if-match": unchanged.headers.etag });
    assert.deepEqual([current.status, (await ask(`/${id}`)).headers.etag], [200, current.headers.etag]);
  });

  test("the history lists who changed what and when, newest first, without refused patches and patches without a change", async () => {
    const { server, tenant, otherTenant, patch, opened, addDevice } = given();
    const deviceId = await addDevice();
    const ticket = await opened({ deviceId, description: "hums" });
    const admin: Caller = { ...tenant.caller, actor: `user:${tenant.admin.id}` };
    server.clock.advance(MINUTE);
    const dueAt = new Date("2027-01-01T00:00:00Z");
    await server.app.tickets.changeTicket(admin, ticket.id, { status: "in_progress", dueAt, description: "" });
    await patch(ticket.id, { status: "in_progress" });
    await patch(ticket.id, { status: "open" });
    const { items, total } = await server.app.tickets.listTicketHistory(tenant.caller, ticket.id, page);
    assert.equal(total, 2);
    assert.deepEqual(
      items.map(({ actor, at, changes }) => ({ actor, at, changes })),
      [
        {
          actor: admin.actor,
          at: server.clock.now(),
          changes: {
            description: { from: "hums", to: "" },
            status: { from: "open", to: "in_progress" },
            dueAt: { from: null, to: dueAt.toISOString() },
          },
        },
        {
          actor: ticket.createdBy,
          at: new Date(ticket.createdAt),
          changes: {
            title: { from: null, to: "Grease it" },
            description: { from: null, to: "hums" },
            type: { from: null, to: "corrective" },
            priority: { from: null, to: "medium" },
            status: { from: null, to: "open" },
            deviceId: { from: null, to: deviceId },
          },
        },
      ],
    );
    assert.equal(
      (await server.app.tickets.listTicketHistory(tenant.caller, ticket.id, { skip: 1, limit: 1 })).items.length,
      1,
    );
    await assert.rejects(server.app.tickets.listTicketHistory(otherTenant.caller, ticket.id, page), {
      code: "not_found",
    });
    for (const statement of [
      server.app.database.db.deleteFrom("ticket_history"),
      server.app.database.db.updateTable("ticket_history").set({ actor: "another" }),
    ])
      await assert.rejects(statement.execute(), /only grows/);
  });

  test("tickets are listed newest first, by status, device and assignee, page by page", async () => {
    const { server, otherTenant, ask, addDevice } = given();
    const lister = await newTenant(server);
    const lists = await newKey(server, lister, "tickets:read");
    const deviceId = await addDevice(lister, { id: "listed" });
    const made: TicketRecord[] = [];
    for (let n = 0; n < 6; n++) {
      const about = n % 2 === 0 ? { deviceId } : { assigneeUserId: lister.admin.id };
      made.unshift(await server.app.tickets.openTicket(lister.caller, { title: `n${n}`, ...about }));
    }
    await server.app.tickets.changeTicket(lister.caller, made[0]!.id, { status: "cancelled" });
    const list = async (query: string) => {
      const headers = { "x-api-key": lists };
      const { json } = await https(`${server.httpUrl}/api/v1/tickets${query}`, { ca: server.ca, headers });
      return [json.total, ...json.items.map(({ title }: TicketRecord) => title)];
    };
    assert.deepEqual(await list(""), [6, "n5", "n4", "n3", "n2", "n1", "n0"]);
    assert.deepEqual(await list("?skip=2&limit=2"), [6, "n3", "n2"]);
    assert.deepEqual(await list("?status=cancelled"), [1, "n5"]);
    assert.deepEqual(await list("?status=open&limit=2"), [5, "n4", "n3"]);
    assert.deepEqual(await list("?deviceId=listed"), [3, "n4", "n2", "n0"]);
    assert.deepEqual(await list("?deviceId=listed&skip=1&limit=1"), [3, "n2"]);
    assert.deepEqual(await list(`?assigneeUserId=${lister.admin.id}&status=open`), [2, "n3", "n1"]);
    for (const unmatched of [
      "deviceId=their-pump",
      "deviceId=%F0%9F",
      `assigneeUserId=${otherTenant.admin.id}`,
      "assigneeUserId=x",
    ])
      assert.equal((await list(`?${unmatched}`).catch(() => [0]))[0], 0, unmatched);
    assertRefused(await ask("?status=done"), 400, "invalid_request", "status");
    assertRefused(await ask("?sort=number"), 400, "invalid_request", "sort");
    assert.deepEqual(
      made.map(({ number }) => number),
      [6, 5, 4, 3, 2, 1],
    );
  });

  test("a non-admin sees tickets of their groups, of devices in their groups, assigned to them or opened by them", async () => {
    const { server, tenant, opened, addDevice, anomalyOf } = given();
    const { tenantId, tenantSlug } = tenant.caller;
    const { id: userId } = await server.app.access.createUser(await server.app.access.systemCaller(tenant.slug), {
      email: `op@${tenant.slug}.example`,
      role: "operator",
    });
    const rights = { kind: "user", userId, role: "operator" } as const;
    const user: Caller = { tenantId, tenantSlug, actor: `user:${userId}`, rights };
    const group = await server.app.groups.createGroup(tenant.caller, { name: "Mine", memberUserIds: [userId] });
    const [near, far] = [await addDevice(tenant, { groupIds: [group.id] }), await addDevice()];
    const hidden = [await opened({ deviceId: far }), await opened()];
    const seen = [
      await opened({ deviceId: near }),
      await opened({ deviceId: far, groupId: group.id }),
      await opened({ assigneeUserId: userId }),
      await server.app.tickets.openTicket(user, { title: "mine" }),
    ];
    const { tickets } = server.app;
    const { items, total } = await tickets.listTickets(user, page);
    assert.deepEqual([total, items.map(({ id }) => id)], [4, seen.map(({ id }) => id).reverse()]);
    for (const { id } of seen)
      assert.equal((await tickets.changeTicket(user, id, { priority: "low" })).priority, "low");
    for (const { id } of hidden) {
      await assert.rejects(tickets.getTicket(user, id), { code: "not_found" });
      await assert.rejects(tickets.changeTicket(user, id, { priority: "low" }), { code: "not_found" });
      await assert.rejects(tickets.listTicketHistory(user, id, page), { code: "not_found" });
    }
    const unseen = { deviceId: far, anomalyId: await anomalyOf(far) };
    for (const [field, id] of Object.entries(unseen))
      await assert.rejects(tickets.openTicket(user, { title: "x", [field]: id }), {
        code: "invalid_request",
        detail: id,
      });
    const viewer: Caller = { ...user, rights: { ...rights, role: "viewer" } };
    assert.equal((await tickets.listTickets(viewer, page)).total, 4);
    await assert.rejects(tickets.openTicket(viewer, { title: "x" }), { code: "insufficient_role" });
    await assert.rejects(tickets.changeTicket(viewer, seen[0]!.id, {}), { code: "insufficient_role" });
  });

  test("repeated requests under one Idempotency-Key open one ticket, and the API audit log has each change", async () => {
    const { server, tenant, ask, patch, opened } = given();
    const again = { body: { title: "once" }, headers: { "idempotency-key": "open-once" } };
    const answers = [await ask("", again), await ask("", again)];
    assert.deepEqual(
      answers.map(({ status }) => status),
      [201, 201],
    );
    const [{ json: ticket }, repeated] = answers as [HttpAnswer, HttpAnswer];
    assert.deepEqual(repeated.json, ticket);
    assert.equal((await opened()).number, ticket.number + 1);
    await patch(ticket.id, { status: "in_progress" });
    await patch(ticket.id, { status: "in_progress" });
    await patch(ticket.id, { status: "open" });
    const writes = (await server.app.access.listApiWrites(tenant.caller, { skip: 0, limit: 500 })).items;
    assert.deepEqual(
      writes
        .filter(({ resourceId }) => resourceId === ticket.id)
        .map(({ operation, resource, result }) => [operation, resource, result]),
      [
        ["changeTicket", "ticket", "unchanged"],
        ["changeTicket", "ticket", "updated"],
        ["openTicket", "ticket", "created"],
      ],
    );
  });
}
