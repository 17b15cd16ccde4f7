import type { z } from "zod";
import type { Caller, Scope } from "../access/access.ts";
import type { Anomalies } from "../anomalies/anomalies.ts";
import type { Certificates, PeerCertificate } from "../certificates/certificates.ts";
import type { Devices } from "../devices/devices.ts";
import type { Enrollment } from "../enrollment/enrollment.ts";
import type { Groups } from "../groups/groups.ts";
import type { Rules } from "../rules/rules.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";
import type { Tickets } from "../tickets/tickets.ts";
import type { ErrorCode } from "./problem.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** The use cases that handlers call. */
export interface Faces {
  certificates: Certificates;
  devices: Devices;
  groups: Groups;
  enrollment: Enrollment;
  anomalies: Anomalies;
  rules: Rules;
  telemetry: Telemetry;
  tickets: Tickets;
}

/** Who asks at a device-facing endpoint: nobody yet, but from somewhere, and perhaps with a certificate. */
export interface DeviceContact {
  address: string;
  peer?: PeerCertificate;
}

/** A JSON value that shows a reader what to send or expect. */
export type Example = unknown;

/** What a route says of itself, whatever its surface. */
interface Description<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType> {
  operationId: string;
  method: Method;
  /** As OpenAPI writes it: `/api/v1/devices/{id}`. */
  path: string;
  tag: string;
  summary: string;
  description: string;
  /** Shapes of what comes in; a part without a shape is not looked at. */
  params?: P;
  query?: Q;
  body?: B;
  status: 200 | 201 | 204;
  /** Shape of the answer; absent exactly for 204. */
  response?: z.ZodType;
  /** Codes beyond those that every route of the surface may answer. */
  errors: readonly ErrorCode[];
  /** The answer shows what is shown once: it is neither kept for a repetition of the request nor compressed. */
  secret?: true;
  /** Fields of the answered record that change without a write: a conditional write looks past them. */
  volatile?: readonly string[];
  examples: { body?: Example; response?: Example };
}

export interface Input<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType> {
  params: z.output<P>;
  query: z.output<Q>;
  body: z.output<B>;
  /** What `If-Match` of a PUT or PATCH asks of the record as it is under the lock; absent without the header. */
  matches?: ((record: object) => boolean) | undefined;
}

type Nothing = z.ZodUndefined;
type Handler<Who, P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType> = (
  who: Who,
  input: Input<P, Q, B>,
  faces: Faces,
) => Promise<unknown>;

interface AnyDescription extends Description<z.ZodType, z.ZodType, z.ZodType> {}
// biome-ignore lint/suspicious/noExplicitAny: the table of routes forgets the shapes that each definition checked
type AnyHandler<Who> = (who: Who, input: any, faces: Faces) => Promise<unknown>;

export interface PublicRoute extends AnyDescription {
  surface: "public";
  scope: Scope;
  handler: AnyHandler<Caller>;
}

export interface DeviceRoute extends AnyDescription {
  surface: "device";
  handler: AnyHandler<DeviceContact>;
}

/** One operation as a value: validation, scope check, OpenAPI and the enumerating tests all read it. */
export type Route = PublicRoute | DeviceRoute;

/** Whether `Idempotency-Key` makes a repetition of the request harmless. */
export function takesIdempotencyKey({ surface, method }: Route): boolean {
  return surface === "public" && method === "POST";
}

/** Whether `If-Match` is honoured (docs/api-conventions.md, Headers). */
export function isConditional({ surface, method }: Route): boolean {
  return surface === "public" && (method === "PUT" || method === "PATCH");
}

/** An operation of the public API; the pipeline has authenticated the caller and checked the scope (spec 5). */
export function publicRoute<
  P extends z.ZodType = Nothing,
  Q extends z.ZodType = Nothing,
  B extends z.ZodType = Nothing,
>(route: Description<P, Q, B> & { scope: Scope; handler: Handler<Caller, P, Q, B> }): PublicRoute {
  return { ...route, surface: "public" };
}

/** A device-facing operation: its credential is in the request itself (spec 4.9). */
export function deviceRoute<
  P extends z.ZodType = Nothing,
  Q extends z.ZodType = Nothing,
  B extends z.ZodType = Nothing,
>(route: Description<P, Q, B> & { handler: Handler<DeviceContact, P, Q, B> }): DeviceRoute {
  return { ...route, surface: "device" };
}
