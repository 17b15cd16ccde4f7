import assert from "node:assert/strict";
import { test } from "node:test";
import { MINUTE } from "../../src/lib/clock.ts";
import { TICKET_STATUSES } from "../../src/tickets/tickets.ts";
import { movesFrom } from "../../src/tickets/transitions.ts";
import { callerForUser } from "../harness/shell-caller.ts";
import { assertRefused, type TicketEnvironment } from "./environment.ts";

/** Status transitions, anomalies and devices of tickets. */
export function ticketWorkRules(given: () => TicketEnvironment): void {
  test("an allowed status transition succeeds, and any other is refused with the allowed ones", async () => {
    const { server, ask, patch, ticketIn } = given();
    for (const from of TICKET_STATUSES) {
      for (const to of TICKET_STATUSES) {
        const ticket = await ticketIn(from);
        server.clock.advance(MINUTE);
        const answer = await patch(ticket.id, { status: to });
        const what = `${from} → ${to}: ${answer.text}`;
        if (to === from) assert.deepEqual([answer.status, answer.json], [200, ticket], what);
        else if (movesFrom(from).includes(to)) assert.deepEqual([answer.status, answer.json.status], [200, to], what);
        else {
          assertRefused(answer, 409, "invalid_transition", to);
          assert.deepEqual([answer.json.allowed, answer.json.middleware], [movesFrom(from), "handler"]);
          for (const allowed of movesFrom(from)) assert.ok(answer.json.message.includes(allowed), what);
          assert.deepEqual((await ask(`/${ticket.id}`)).json, ticket, what);
        }
      }
    }
  });

  test("startedAt is set once; completing sets completedAt, reopening clears it and keeps the resolution", async () => {
    const { server, patch, opened } = given();
    const { id } = await opened();
    const move = async (body: object) => {
      server.clock.advance(MINUTE);
      return (await patch(id, body)).json;
    };
    const started = await move({ status: "in_progress" });
    assert.equal(started.startedAt, server.clock.now().toISOString());
    await move({ status: "on_hold" });
    const done = await move({ status: "completed", resolution: "New bearing" });
    assert.deepEqual([done.startedAt, done.completedAt], [started.startedAt, server.clock.now().toISOString()]);
    const again = await move({ status: "open" });
    assert.deepEqual([again.startedAt, again.completedAt, again.resolution], [started.startedAt, null, "New bearing"]);
    assert.equal((await move({ status: "in_progress", resolution: null })).startedAt, started.startedAt);
    const cancelled = await move({ status: "cancelled" });
    assert.deepEqual([cancelled.completedAt, cancelled.resolution], [null, null]);
  });

  test("a ticket for an anomaly concerns its device, and the anomaly shows it", async () => {
    const { post, patch, opened, addDevice, anomalyOf, shownBy } = given();
    const [deviceId, other] = [await addDevice(), await addDevice()];
    const anomalyId = await anomalyOf(deviceId);
    assertRefused(await post({ title: "x", anomalyId, deviceId: other }), 400, "invalid_request", other);
    assert.equal(await shownBy(anomalyId), null);
    const ticket = await opened({ anomalyId });
    assert.deepEqual([ticket.deviceId, ticket.anomalyId, await shownBy(anomalyId)], [deviceId, anomalyId, ticket.id]);
    assertRefused(await patch(ticket.id, { deviceId: other }), 400, "invalid_request", other);
    assertRefused(await patch(ticket.id, { deviceId: null }), 400, "invalid_request", "deviceId");
    assert.equal((await patch(ticket.id, { deviceId })).status, 200);

    const unlinked = await patch(ticket.id, { anomalyId: null });
    assert.deepEqual([unlinked.json.deviceId, await shownBy(anomalyId)], [deviceId, null]);
    const moved = await patch(ticket.id, { anomalyId: await anomalyOf(other) });
    assert.deepEqual([moved.json.deviceId, await shownBy(moved.json.anomalyId)], [other, ticket.id]);
  });

  test("an anomaly has one unfinished ticket: opening or reopening a second one is 409 with the first one's id", async () => {
    const { post, patch, opened, addDevice, anomalyOf, shownBy } = given();
    const anomalyId = await anomalyOf(await addDevice());
    const first = await opened({ anomalyId });
    assertRefused(await post({ title: "again", anomalyId }), 409, "already_exists", first.id);
    await patch(first.id, { status: "cancelled" });
    assert.equal(await shownBy(anomalyId), first.id);
    const second = await opened({ anomalyId });
    assert.deepEqual([second.number, await shownBy(anomalyId)], [first.number + 1, second.id]);
    assertRefused(await patch(first.id, { status: "open" }), 409, "already_exists", second.id);
    const loose = await opened();
    assertRefused(await patch(loose.id, { anomalyId }), 409, "already_exists", second.id);

    await patch(second.id, { status: "in_progress" });
    await patch(second.id, { status: "completed" });
    assert.equal((await patch(first.id, { status: "open" })).json.status, "open");
    assert.equal(await shownBy(anomalyId), first.id);
    await patch(first.id, { status: "cancelled" });
    assert.equal(await shownBy(anomalyId), second.id);
  });

  test("a ticket can be changed after its device and its assignee are deleted", async () => {
    const { server, tenant, ask, post, patch, opened, addDevice } = given();
    const deviceId = await addDevice();
    const email = `gone@${tenant.slug}.example`;
    const { id: assigneeUserId } = await server.app.access.createUser(
      await server.app.access.systemCaller(tenant.slug),
      {
        email,
        role: "operator",
      },
    );
    const { id } = await opened({ deviceId, assigneeUserId });
    await server.app.enrollment.deleteDevice(tenant.caller, deviceId);
    await server.app.access.deleteUser(await callerForUser(server.app.access, email), email);
    assertRefused(await post({ title: "x", deviceId }), 400, "invalid_request", deviceId);
    assertRefused(await post({ title: "x", assigneeUserId }), 400, "invalid_request", assigneeUserId);
    const { json } = await patch(id, { deviceId, assigneeUserId, status: "in_progress" });
    assert.deepEqual([json.deviceId, json.assigneeUserId, json.status], [deviceId, assigneeUserId, "in_progress"]);
    assert.equal((await ask(`?deviceId=${deviceId}`)).json.total, 1);
  });
}
