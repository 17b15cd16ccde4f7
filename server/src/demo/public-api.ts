import { request } from "node:https";
import { text } from "node:stream/consumers";

export interface ApiAnswer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the demo reads what the API's description promises
  body: any;
  /** The seconds to wait after a 429. */
  retryAfter?: number | undefined;
}

/** The public API as an integrator calls it: JSON over HTTPS with a scoped key. */
export class PublicApi {
  readonly #baseUrl: string;
  readonly #ca: string;
  readonly #key: string;

  constructor(baseUrl: string, ca: string, key: string) {
    this.#baseUrl = baseUrl;
    this.#ca = ca;
    this.#key = key;
  }

  call(method: string, path: string, body?: object): Promise<ApiAnswer> {
    const headers = { "x-api-key": this.#key };
    return requestJson(`${this.#baseUrl}/api/v1${path}`, { method, ca: this.#ca, headers, body });
  }

  /** Returns the body of the answer to {@link call}. @throws Error if its status differs */
  async expect(status: number, method: string, path: string, body?: object): Promise<ApiAnswer["body"]> {
    const answer = await this.call(method, path, body);
    if (answer.status !== status) {
      throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}, expected ${status}`);
    }
    return answer.body;
  }
}

/**
 * Sends a request with or without a JSON body, and returns its answer.
 *
 * @param given `ca`: PEM; Node's trusted roots if undefined
 */
export function requestJson(
  url: string,
  given: { method: string; ca: string | undefined; headers: Record<string, string>; body?: object | undefined },
): Promise<ApiAnswer> {
  const { method, ca, body } = given;
  const headers = { ...given.headers, ...(body ? { "content-type": "application/json" } : {}) };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, ...(ca ? { ca } : {}) }, (response) => {
      const retryAfter = Number(response.headers["retry-after"]) || undefined;
      const received = (content: string) => {
        resolve({ status: response.statusCode ?? 0, body: content ? JSON.parse(content) : undefined, retryAfter });
      };
      text(response).then(received).catch(reject);
    });
    sent.on("error", reject);
    sent.end(body && JSON.stringify(body));
  });
}

/** Opens a link as a browser does: GET shows the page, and POST is its button. @returns the page */
export function openLink(method: "GET" | "POST", link: URL, ca: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers =
      method === "POST" ? { "content-type": "application/x-www-form-urlencoded", "content-length": 0 } : {};
    const sent = request(link, { method, ca, headers }, (response) => text(response).then(resolve, reject));
    sent.on("error", reject);
    sent.end();
  });
}
