import manifest from "../../../package.json" with { type: "json" };

/** The version of this service: `muster --version`, `/healthz`, the OpenAPI documents and the admin app show it. */
export const VERSION: string = manifest.version;
