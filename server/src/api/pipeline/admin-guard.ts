import type { FastifyRequest } from "fastify";
import { type Caller, requireMay } from "../../access/access.ts";
import { callerOf, type Identity, type Missing, missingOf, type Session } from "../../identity/identity.ts";
import type { AddressRange } from "../../lib/address.ts";
import { addressBlock } from "../../lib/address.ts";
import { addMs, type Clock, MINUTE, SECOND } from "../../lib/clock.ts";
import { type AddressLimit, createAddressLimit } from "../../lib/limits/address-limit.ts";
import type { Limits } from "../../lib/limits/limits.ts";
import { RefusedCredentials } from "../../lib/limits/refused-credentials.ts";
import type { RequestCounts } from "../../lib/limits/request-counts.ts";
import { clientAddress } from "../listener/client-address.ts";
import { Refusal } from "../problem.ts";
import { type AdminRoute, isAdmittedWithout, type SessionHolder, type Visitor } from "../route.ts";
import { knownBrowser, sessionToken } from "./cookies.ts";
import { requireOwnOrigin } from "./origin.ts";

/** The dependencies of the admin API's guard. */
export interface AdminTools {
  identity: Pick<Identity, "useSession" | "mayCommand">;
  clock: Clock;
  limits: Limits;
  requestCounts: RequestCounts;
  proxies: readonly AddressRange[];
  addresses: { readonly baseUrl: string };
  /** Reports to the listener that a request belongs to a session, within its limit. */
  authenticated(request: FastifyRequest["raw"]): void;
  /** Returns the operations that the user of a session may call. */
  operationsOf(session: Session): string[];
}

/** The time for which an unknown session is refused without querying the database again. */
const UNKNOWN_MS = 2 * SECOND;

/** The tokens of refused sessions: unknown ones, and those that have used up their minute. */
interface Refused {
  readonly unknown: RefusedCredentials;
  readonly limited: RefusedCredentials;
}

/** Sent with requests that a page makes by itself, such as a refetch: they do not keep an idle session open. */
const BACKGROUND_HEADER = "x-muster-background";

/**
 * Creates the guard, which performs the admin API's checks before a byte of the body is read: origin → session → rate →
 * complete sign-in → role → step-up.
 *
 * @throws Refusal foreign_origin, session_required, rate_limited, sign_in_incomplete, reauthentication_required;
 *   MusterError insufficient_role
 */
export function createAdminGuard(tools: AdminTools) {
  const { identity, limits, clock, proxies, addresses, operationsOf, requestCounts: counts } = tools;
  const sessionRates = createAddressLimit(limits.sessionRequestsPerMinute, clock, { name: "session", counts });
  const refused = { unknown: new RefusedCredentials(clock), limited: new RefusedCredentials(clock) };
  const openRates = createAddressLimit(limits.signInRequestsPerMinute, clock, { name: "sign-in", counts });

  return async (route: AdminRoute, request: FastifyRequest): Promise<Visitor | SessionHolder | Caller> => {
    requireOwnOrigin(request, addresses.baseUrl);
    const visitor = { ...visitOf(request, proxies), operationsOf };
    if (route.by === "anyone") {
      admit(openRates, addressBlock(visitor.address), "from this address");
      return visitor;
    }
    const session = await sessionOf(identity, refused, request);
    admitSession(sessionRates, session, refused, sessionToken(request.headers.cookie)!);
    tools.authenticated(request.raw);
    requireComplete(session, route);
    const caller = callerOf(session, visitor.address);
    if (route.by === "user") requireMay(caller, route.useCase.may);
    if (route.stepUp === true) requireStepUp(session, clock, limits);
    else if (route.stepUp)
      request.requireStepUp = async (deviceId) => {
        if (
          deviceId !== undefined &&
          !isVerified(session, clock, limits) &&
          (await identity.mayCommand(session, deviceId))
        )
          return;
        requireStepUp(session, clock, limits);
      };
    return route.by === "user" ? caller : { ...visitor, session };
  };
}

function visitOf({ raw }: FastifyRequest, proxies: readonly AddressRange[]) {
  const address = clientAddress(raw.socket.remoteAddress, raw.headers["x-forwarded-for"], proxies);
  return { address, userAgent: raw.headers["user-agent"] ?? "", browser: knownBrowser(raw.headers.cookie) };
}

async function sessionOf(
  identity: AdminTools["identity"],
  { unknown, limited }: Refused,
  { headers }: FastifyRequest,
): Promise<Session> {
  const token = sessionToken(headers.cookie);
  if (token && limited.millisecondsLeft(token) > 0)
    throw tooMany("in this session", limited.millisecondsLeft(token) / SECOND);
  if (token && unknown.millisecondsLeft(token) === 0) {
    const session = await identity.useSession(token, headers[BACKGROUND_HEADER] === undefined);
    if (session) return session;
    unknown.add(token, UNKNOWN_MS);
  }
  throw new Refusal("session_required", "sign in: there is no session, or it has ended");
}

function admit(rates: AddressLimit, key: string, whose: string): void {
  const waitSeconds = rates.admit(key);
  if (waitSeconds > 0) throw tooMany(whose, waitSeconds);
}

/**
 * Limits the rate of a session. One that has used up its minute is not looked up again until the next request can be
 * admitted.
 */
function admitSession(rates: AddressLimit, { id }: Session, { limited }: Refused, token: string): void {
  const waitSeconds = rates.admit(id);
  if (waitSeconds === 0) return;
  limited.add(token, waitSeconds * SECOND);
  throw tooMany("in this session", waitSeconds);
}

function tooMany(whose: string, retryAfterSeconds: number): Refusal {
  return new Refusal("rate_limited", `too many requests ${whose}`, { extra: { retryAfterSeconds } });
}

const INCOMPLETE: Readonly<Record<Missing, string>> = {
  code: "the sign-in also needs a code from your second factor",
  password: "the password was generated by the service: choose your own first",
  factor: "the tenant requires a second factor of its admins: set one up first",
};

/** Refuses operations other than those that complete the sign-in while it is incomplete. */
function requireComplete(session: Session, route: AdminRoute): void {
  const missing = missingOf(session);
  if (missing === undefined || isAdmittedWithout(missing, route)) return;
  throw new Refusal("sign_in_incomplete", INCOMPLETE[missing], { detail: missing });
}

function isVerified({ verifiedAt }: Session, clock: Clock, { stepUpMinutes }: Limits): boolean {
  return addMs(verifiedAt, stepUpMinutes * MINUTE) > clock.now();
}

function requireStepUp(session: Session, clock: Clock, limits: Limits): void {
  if (isVerified(session, clock, limits)) return;
  throw new Refusal(
    "reauthentication_required",
    `this needs your password, and your second factor if you have one, entered within the last ${limits.stepUpMinutes} minutes`,
  );
}
