import { request } from "node:https";
import type { HttpAnswer } from "../harness/http/http-answer.ts";

/** Sends a request without its body. Resolves when the service asks for the body. */
export function sendHeaders(
  url: string,
  { method, headers, ca }: { method: string; headers: Record<string, string | number>; ca: string },
): Promise<{ answer: Promise<HttpAnswer> }> {
  return new Promise((resolve, reject) => {
    const call = request(url, { method, headers: { ...headers, expect: "100-continue" }, ca, agent: false });
    const answer = new Promise<HttpAnswer>((answered) => {
      call.on("response", async (response) => {
        const bytes = Buffer.concat(await response.toArray());
        const text = bytes.toString();
        answered({ status: response.statusCode!, headers: response.headers, text, bytes, json: JSON.parse(text) });
      });
    });
    call.on("continue", () => resolve({ answer }));
    call.on("error", reject);
    call.flushHeaders();
  });
}
