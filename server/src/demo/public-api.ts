import { request } from "node:https";
import { text } from "node:stream/consumers";

export interface ApiAnswer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the demo reads what the API's description promises
  body: any;
  /** Of a 429: seconds to wait. */
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

  /** The body of the answer to {@link call}. @throws Error when its status is another */
  async expect(status: number, method: string, path: string, body?: object): Promise<ApiAnswer["body"]> {
    const answer = await this.call(method, path, body);
    if (answer.status !== status) {
      throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}, expected ${status}`);
    }
    return answer.body;
  }
}

/** A request with a JSON body, or none, and its answer. @param given `ca`: PEM; what Node trusts when undefined */
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

/** Opens a link as a browser does: GET shows the page, POST is its button. @returns the page */
export function openLink(method: "GET" | "POST", link: URL, ca: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers =
      method === "POST" ? { "content-type": "application/x-www-form-urlencoded", "content-length": 0 } : {};
    const sent = request(link, { method, ca, headers }, (response) => text(response).then(resolve, reject));
    sent.on("error", reject);
    sent.end();
  });
}
