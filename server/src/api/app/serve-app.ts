import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Ids } from "../../lib/ids.ts";
import type { Logger } from "../../lib/logger.ts";
import { nothingHere } from "../http/nothing-here.ts";
import { refuseOtherMethods } from "../http/other-methods.ts";
import type { ServePages } from "../server.ts";
import { type AppBuild, NONCE, readAppBuild } from "./app-build.ts";
import { appPolicy } from "./app-policy.ts";
import { pageLanguage } from "./page-language.ts";
import { serveAssets } from "./serve-assets.ts";
import { serveNoApp } from "./serve-no-app.ts";

export interface AppPagesDeps {
  config: {
    /** The folder of the built app. */
    appDir: string;
    /** A certificate that browsers trust, instead of the development certificate. */
    operatorTls: unknown;
  };
  ids: Pick<Ids, "bytes">;
  logger: Logger;
  /** The authorities of the development certificate. */
  authorities: { serverCaBundlePem(): string };
}

/** The addresses to which devices connect, and their trust anchors; the app puts them into commands. */
const SETTINGS = "/app-settings.json";

/** The addresses of the APIs, their descriptions, and the app's files. */
const OTHER_ADDRESSES = /^\/(api|assets|docs|openapi)\b/;

const NONCE_BYTES = 16;
const YEAR_SECONDS = 31_536_000;

/** Serves the admin app: its page at every one of its addresses, and its files. */
export function serveApp({ config, ids, logger, authorities }: AppPagesDeps): ServePages {
  return (app, addresses) => {
    const build = readAppBuild(config.appDir);
    if (!build) {
      logger.warn(
        { folder: config.appDir },
        "the admin app is not built and not served: run npm run build, then restart",
      );
      return serveNoApp(app);
    }
    const hsts = config.operatorTls === undefined ? {} : { "strict-transport-security": `max-age=${YEAR_SECONDS}` };
    servePages(app, build, { ids, hsts });
    serveAssets(app, build);
    app.get(SETTINGS, (_request, reply) => {
      const { baseUrl, brokerUrl } = addresses;
      const httpsCa = config.operatorTls === undefined ? authorities.serverCaBundlePem() : null;
      return reply.header("cache-control", "no-store").send({ baseUrl, brokerUrl, httpsCa });
    });
    refuseOtherMethods(app, SETTINGS, ["GET"]);
  };
}

function servePages(
  app: FastifyInstance,
  build: AppBuild,
  { ids, hsts }: Pick<AppPagesDeps, "ids"> & { hsts: object },
) {
  const languages = new Set(build.pages.keys());
  const sendPage = (request: FastifyRequest, reply: FastifyReply) => {
    const page = build.pages.get(pageLanguage(request.headers, languages))!;
    const nonce = ids.bytes(NONCE_BYTES).toString("base64");
    return reply
      .headers({
        ...hsts,
        "cache-control": "no-store",
        "content-security-policy": appPolicy(nonce),
        "cross-origin-opener-policy": "same-origin",
      })
      .type("text/html; charset=utf-8")
      .send(page.replaceAll(NONCE, nonce));
  };
  for (const route of build.routes) {
    const path = route.replaceAll(/\$(\w+)/g, ":$1");
    app.get(path, sendPage);
    refuseOtherMethods(app, path, ["GET"]);
  }
  app.get("/*", (request, reply) => {
    if (!isPage(request)) throw nothingHere();
    return sendPage(request, reply.code(404));
  });
}

/** Reports whether a browser requests a page of the app; for unknown addresses the app shows an error itself. */
function isPage({ headers, url }: FastifyRequest): boolean {
  return headers.accept?.includes("text/html") === true && !OTHER_ADDRESSES.test(url);
}
