import { noAnswer } from "./problem.ts";

/** The reactions of the app to answers that every request can get; `parts/` sets them once. */
interface Handlers {
  /** Asks for the password and the second factor. Rejects when the user cancels. */
  stepUp: () => Promise<void>;
  /** Called when the session has ended. */
  signedOut: () => void;
}

let handlers: Handlers = { stepUp: () => Promise.reject(noAnswer()), signedOut: () => undefined };

export function handleAnswers(given: Handlers): void {
  handlers = given;
}

/** Reports that a stream was refused because the session has ended. */
export function reportSignedOut(): void {
  handlers.signedOut();
}

/** The addresses that are also requested without a session. */
const SIGN_IN = /^\/api\/admin\/(session|setup|invites\/accept|password)(\/|$)/;

/**
 * Sends a request of the app. A POST carries an `Idempotency-Key`, so that a repetition after a step-up, or by a user
 * who saw no answer, has one effect. When an operation requires a step-up, the user confirms and the same request is
 * sent again.
 * @throws Problem no_answer; the rejection of {@link Handlers.stepUp}
 */
export async function send(request: Request): Promise<Response> {
  const keyed = withIdempotencyKey(request);
  const again = keyed.clone();
  const response = await attempt(keyed);
  const code = response.ok ? undefined : await codeOf(response);
  if (code === "session_required" && !SIGN_IN.test(new URL(request.url).pathname)) handlers.signedOut();
  if (code !== "reauthentication_required") return response;
  await handlers.stepUp();
  return attempt(again);
}

function withIdempotencyKey(request: Request): Request {
  if (request.method !== "POST" || request.headers.has("idempotency-key")) return request;
  if (SIGN_IN.test(new URL(request.url).pathname)) return request;
  const headers = new Headers(request.headers);
  headers.set("idempotency-key", crypto.randomUUID());
  return new Request(request, { headers });
}

async function attempt(request: Request): Promise<Response> {
  try {
    return await fetch(request);
  } catch (error) {
    if (request.signal.aborted) throw error;
    throw noAnswer();
  }
}

/** Returns the error code of an unsuccessful answer. */
async function codeOf(response: Response): Promise<string | undefined> {
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => undefined);
  return (body as { error?: string } | undefined)?.error;
}
