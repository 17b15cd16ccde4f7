import type { z } from "zod";
import type { AccessRule, Caller, Declaration, LeastRole, Scope, StepUpRule, UseCase } from "../access/access.ts";
import type { PeerCertificate } from "../certificates/certificates.ts";
import type { Missing, Session, Visit } from "../identity/identity.ts";
import { asFile } from "./csv-query.ts";
import { announced, type Deprecation } from "./deprecation.ts";
import { withCursor } from "./list-cursor.ts";
import type { ErrorCode } from "./problem.ts";
import { stepUpOf } from "./step-up-of.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** The client of a device-facing endpoint, not authenticated yet: its address and, if it has one, its certificate. */
export interface DeviceContact {
  address: string;
  peer?: PeerCertificate;
}

/** A browser at an operation of the admin API that needs no session. */
export interface Visitor extends Visit {
  /** The cookie that identifies a known browser, if it was sent. */
  browser: string | undefined;
  /** Returns the operations that the user of a session may call: the app hides the others. */
  operationsOf(session: Session): string[];
}

/** The holder of a session, at an operation on the holder's own account. */
export interface SessionHolder extends Visitor {
  session: Session;
}

/** A JSON value shown in the reference. */
export type Example = unknown;

/** The common part of routes on all surfaces. */
interface Description<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType> {
  operationId: string;
  method: Method;
  /** The path in OpenAPI notation: `/api/v1/devices/{id}`. */
  path: string;
  tag: string;
  summary: string;
  description: string;
  /** Shapes of the input; a part without a shape is ignored. */
  params?: P;
  query?: Q;
  body?: B;
  status: 200 | 201 | 204;
  /** The shape of the answer; absent exactly for 204. */
  response?: z.ZodType;
  /** The media type of a stream of records of the shape `response`: an `EventStream`, or a `Download` (also as CSV). */
  mediaType?: "text/event-stream" | "application/x-ndjson";
  /** Its announced end: answers carry `Deprecation` and `Sunset`. */
  deprecation?: Deprecation;
  /** Codes beyond those that every route of the surface may answer. */
  errors: readonly ErrorCode[];
  /** A POST that changes nothing: it takes no `Idempotency-Key`, and no audit records it. */
  safe?: true;
  /** The answer contains a one-time secret: it is neither stored for a repetition of the request nor compressed. */
  secret?: true;
  /** The handler gets the cookie of a sign-in at a provider (`flowCookie`) or of a passkey (`challengeCookie`). */
  takesFlow?: true;
  takesChallenge?: true;
  /** The field of answered records that is `{id}` in their addresses; `id` if absent. */
  addressedBy?: string;
  /** Fields of the answered record that change without a write; a conditional write ignores them. */
  volatile?: readonly string[];
  /** `query` has the parameters without which the operation is refused. */
  examples: { query?: Readonly<Record<string, string>>; body?: Example; response?: Example };
}

export interface Input<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType> {
  params: z.output<P>;
  query: z.output<Q>;
  body: z.output<B>;
  /** The condition that `If-Match` of a PUT or PATCH puts on the locked record; absent without the header. */
  matches?: ((record: object) => boolean) | undefined;
  /** The cookie of a sign-in at an identity provider, or of a request for a passkey, for a route that takes it. */
  flowCookie?: string | undefined;
  challengeCookie?: string | undefined;
}

type Nothing = z.ZodUndefined;
type Handler<Who, P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, Run> = (
  who: Who,
  input: Input<P, Q, B>,
  run: Run,
) => Promise<unknown>;

interface AnyDescription extends Description<z.ZodType, z.ZodType, z.ZodType> {}
// biome-ignore lint/suspicious/noExplicitAny: a list of routes has no common type of input; each route checks its own
type AnyHandler<Who> = (who: Who, input: any, run: any) => Promise<unknown>;

/** A use case that API keys may run; its rule names the scope. */
type PublicUseCase = Declaration & { readonly may: AccessRule };

export interface PublicRoute extends AnyDescription {
  surface: "public";
  useCase: PublicUseCase;
  /** The scope of the use case. */
  scope: Scope;
  /** Its third argument is the use case, bound to its dependencies. */
  handler: AnyHandler<Caller>;
}

export interface DeviceRoute extends AnyDescription {
  surface: "device";
  service: Declaration;
  /** Its third argument is the service, bound to its dependencies. */
  handler: AnyHandler<DeviceContact>;
}

/** The common part of admin API routes. */
interface AdminDescription extends AnyDescription {
  surface: "admin";
  /** Restricts the route, or some of its requests, to users with a recent step-up (`access/step-up.ts`). */
  stepUp?: StepUpRule;
}

/** An operation of the admin API for users whose role its use case permits. */
export interface AdminUseCaseRoute extends AdminDescription {
  by: "user";
  useCase: PublicUseCase;
  /** The least role of the use case. */
  role: LeastRole;
  /** The file name of a list that is also answered as a CSV file (`as=csv`). */
  csv?: string;
  /** Its third argument is the use case, bound to its dependencies. */
  handler: AnyHandler<Caller>;
}

/** An operation of the admin API on the account and the sessions of its caller, whatever the role. */
export interface AdminAccountRoute extends AdminDescription {
  by: "session";
  service: Declaration;
  /** The parts of a sign-in without which the route may still be called. */
  evenWithout?: readonly Missing[];
  handler: AnyHandler<SessionHolder>;
}

/** An operation of the admin API without a session, such as signing in. */
export interface AdminOpenRoute extends AdminDescription {
  by: "anyone";
  service: Declaration;
  handler: AnyHandler<Visitor>;
}

/** Reports whether a session whose sign-in lacks this part may call the route. */
export function isAdmittedWithout(missing: Missing, route: AdminRoute): boolean {
  return route.by === "anyone" || (route.by === "session" && route.evenWithout?.includes(missing) === true);
}

export type AdminRoute = AdminUseCaseRoute | AdminAccountRoute | AdminOpenRoute;

/** A route that the API reference shows. */
export type ReferenceRoute = PublicRoute | DeviceRoute;

/** One operation as a value: validation, access check, OpenAPI and the enumerating tests all read it. */
export type Route = ReferenceRoute | AdminRoute;

/** A route whose handler is called with a caller and a use case. */
export type UseCaseRoute = PublicRoute | AdminUseCaseRoute;

export function runsUseCase(route: Route): route is UseCaseRoute {
  return route.surface === "public" || (route.surface === "admin" && route.by === "user");
}

/** Reports whether `Idempotency-Key` makes a repetition of the request harmless. */
export function takesIdempotencyKey(route: Route): boolean {
  return runsUseCase(route) && route.method === "POST" && !route.safe;
}

/** Reports whether `If-Match` is honoured (docs/api-conventions.md, Headers). */
export function isConditional(route: Route): boolean {
  return runsUseCase(route) && (route.method === "PUT" || route.method === "PATCH");
}

/**
 * Declares an operation of the public API: one use case for the holder of an API key. The pipeline has authenticated
 * the caller and checked the use case's scope before the body is read (spec 5).
 *
 * @throws Error if API keys may not run the use case
 */
export function publicRoute<
  Args extends unknown[],
  Result,
  P extends z.ZodType = Nothing,
  Q extends z.ZodType = Nothing,
  B extends z.ZodType = Nothing,
>(
  route: Description<P, Q, B> & {
    useCase: UseCase<never, Args, Result>;
    handler: Handler<Caller, P, Q, B, (caller: Caller, ...args: Args) => Promise<Result>>;
  },
): PublicRoute {
  const { scope } = route.useCase.may;
  if (scope === undefined) throw new Error(`the use case of ${route.operationId} has no scope`);
  return { ...withCursor(announced(route)), scope, surface: "public" };
}

/** Declares a device-facing operation: its credential is in the request itself (spec 4.9). */
export function deviceRoute<
  Args extends unknown[],
  Result,
  P extends z.ZodType = Nothing,
  Q extends z.ZodType = Nothing,
  B extends z.ZodType = Nothing,
>(
  route: Description<P, Q, B> & {
    service: (deps: never, ...args: Args) => Promise<Result>;
    handler: Handler<DeviceContact, P, Q, B, (...args: Args) => Promise<Result>>;
  },
): DeviceRoute {
  return { ...announced(route), surface: "device" };
}

/**
 * Declares an operation of the admin API: one use case for a signed-in user. The pipeline has checked origin, session,
 * rate and the use case's role before the body is read.
 *
 * @throws Error if users may not run the use case
 */
export function adminRoute<
  Args extends unknown[],
  Result,
  P extends z.ZodType = Nothing,
  Q extends z.ZodType = Nothing,
  B extends z.ZodType = Nothing,
>(
  route: Description<P, Q, B> & {
    useCase: UseCase<never, Args, Result>;
    /** The file name of the CSV export; the handler passes `query` on to a use case that takes a page. */
    csv?: string;
    handler: Handler<Caller, P, Q, B, (caller: Caller, ...args: Args) => Promise<Result>>;
  },
): AdminUseCaseRoute {
  const { role } = route.useCase.may;
  if (role === undefined) throw new Error(`the use case of ${route.operationId} has no role`);
  const file = route.csv === undefined ? {} : asFile(route.query);
  return { ...route, ...file, ...stepUpOf(route), role, surface: "admin", by: "user" };
}

/** Declares an operation of the admin API on the caller's own account: its service takes the session. */
export function accountRoute<
  Args extends unknown[],
  Result,
  P extends z.ZodType = Nothing,
  Q extends z.ZodType = Nothing,
  B extends z.ZodType = Nothing,
>(
  route: Description<P, Q, B> & {
    service: (deps: never, ...args: Args) => Promise<Result>;
    evenWithout?: readonly Missing[];
    handler: Handler<SessionHolder, P, Q, B, (...args: Args) => Promise<Result>>;
  },
): AdminAccountRoute {
  return { ...route, ...stepUpOf(route), surface: "admin", by: "session" };
}

/** Declares an operation of the admin API that needs no session: its credential, if any, is in the request itself. */
export function openRoute<
  Args extends unknown[],
  Result,
  P extends z.ZodType = Nothing,
  Q extends z.ZodType = Nothing,
  B extends z.ZodType = Nothing,
>(
  route: Description<P, Q, B> & {
    service: (deps: never, ...args: Args) => Promise<Result>;
    handler: Handler<Visitor, P, Q, B, (...args: Args) => Promise<Result>>;
  },
): AdminOpenRoute {
  return { ...route, ...stepUpOf(route), surface: "admin", by: "anyone" };
}

/** Returns a module's routes in reference order: reading before writing, a list before its records. */
export function routesOf<Kind extends Route>(module: object): Kind[] {
  const found = Object.values(module).filter(isRoute) as Kind[];
  return found.sort((one, other) => rank(one.method) - rank(other.method) || depth(one.path) - depth(other.path));
}

function isRoute(value: unknown): value is Route {
  return typeof value === "object" && value !== null && "operationId" in value;
}

const METHODS: readonly Method[] = ["GET", "POST", "PUT", "PATCH", "DELETE"];

function rank(method: Method): number {
  return METHODS.indexOf(method);
}

function depth(path: string): number {
  return path.split("/").length;
}
