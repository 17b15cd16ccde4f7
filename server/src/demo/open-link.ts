import { request } from "node:https";
import { text } from "node:stream/consumers";

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
