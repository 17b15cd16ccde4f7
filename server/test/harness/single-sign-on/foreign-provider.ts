import assert from "node:assert/strict";
import { createPrivateKey, generateKeyPairSync, type JsonWebKey, randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { decodeJwt, decodeProtectedHeader, type JWTHeaderParameters, type JWTPayload, SignJWT } from "jose";
import Provider from "oidc-provider";
import { selfSigned } from "../http/sinks.ts";

/** The provider's facts about a person, by the name with which they sign in there. */
export type People = Record<string, Record<string, unknown>>;

/** Changes the token that the provider sends; absent for an honest one. */
export type Fault = (token: Token) => void;

/** Answers a request for the keys in place of the provider, or lets it answer; absent for an honest one. */
type Keys = ((response: ServerResponse, answer: () => void) => void) | undefined;

export interface Token {
  claims: JWTPayload;
  header: JWTHeaderParameters;
  /** Replaces the signed text. */
  text?: string;
}

export const CLIENT = { id: "muster", secret: "a secret between provider and client" };

/** A real OpenID provider of another maker, on a free port, whose tokens a test may spoil. */
export type ForeignProvider = Awaited<ReturnType<typeof startForeignProvider>>;

export async function startForeignProvider(more: { people?: People; trusts?: string } = {}) {
  const tls = selfSigned();
  const trusted = getCACertificates("default");
  // The same effect as `NODE_EXTRA_CA_CERTS` at start.
  setDefaultCACertificates([...trusted, tls.cert, ...(more.trusts === undefined ? [] : [more.trusts])]);
  const people: People = { ...more.people };
  const state = {
    key: newKey(),
    fault: undefined as Fault | undefined,
    isAway: false,
    tokensAsked: 0,
    keys: undefined as Keys,
    /** The claims that only the UserInfo endpoint has. */
    told: undefined as Record<string, unknown> | undefined,
    /** Whether its answers name it (RFC 9207). */
    namesItself: true,
  };
  /** The pages to which it sends browsers back. */
  const redirectUris = new Set<string>();
  let handle: (request: IncomingMessage, response: ServerResponse) => void;
  const server = createServer(tls, (request, response) => {
    if (state.isAway) return void request.socket.destroy();
    if (request.url?.startsWith("/jwks") && state.keys)
      return void state.keys(response, () => handle(request, response));
    if (request.url?.startsWith("/token")) spoil(response, state);
    if (request.url?.startsWith("/me") && state.told) answerWith(response, (body) => ({ ...body, ...state.told }));
    if (request.url?.startsWith("/.well-known/") && !state.namesItself)
      answerWith(response, ({ authorization_response_iss_parameter_supported: _, ...body }) => body);
    handle(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `https://localhost:${(server.address() as AddressInfo).port}`;
  const open = () => {
    const logout =
      logoutUri === undefined
        ? {}
        : { backchannel_logout_uri: logoutUri, backchannel_logout_session_required: withSession };
    const opened = new Provider(issuer, configuration({ people, key: state.key, logout }));
    opened.Client.prototype.redirectUriAllowed = (uri) => redirectUris.has(uri);
    handle = opened.callback();
  };
  let logoutUri: string | undefined;
  let withSession = true;
  open();
  return {
    issuer,
    people,
    redirectUris,
    ca: tls.cert,
    state,
    /** Replaces the keys, as after a rotation. */
    rotate() {
      state.key = newKey();
      open();
    },
    /** Reports logouts to this address; `sid`: whether with the id of the session. */
    reportLogouts(uri: string, { sid = true } = {}) {
      logoutUri = uri;
      withSession = sid;
      open();
    },
    /** Signs a token with the provider's key. */
    sign: (claims: JWTPayload, header: Partial<JWTHeaderParameters> = {}) => sign(state.key, claims, header),
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      setDefaultCACertificates(trusted);
    },
  };
}

interface Key {
  jwk: JsonWebKey & { kid: string };
}

function newKey(): Key {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  return {
    jwk: { ...privateKey.export({ format: "jwk" }), kid: randomUUID(), use: "sig", alg: "RS256" } as Key["jwk"],
  };
}

async function sign({ jwk }: Key, claims: JWTPayload, header: Partial<JWTHeaderParameters>): Promise<string> {
  const protectedHeader = { alg: "RS256", kid: jwk.kid, ...header };
  return await new SignJWT(claims)
    .setProtectedHeader(protectedHeader)
    .sign(createPrivateKey({ key: jwk as JsonWebKey, format: "jwk" }));
}

function configuration(of: { people: People; key: Key; logout: object }) {
  return {
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: ["https://replaced.example/"],
        token_endpoint_auth_method: "client_secret_post",
        ...of.logout,
      },
    ],
    jwks: { keys: [of.key.jwk] },
    scopes: ["openid", "email", "groups"],
    claims: { openid: ["sub"], email: ["email", "email_verified"], groups: ["groups"] },
    findAccount: (_context: unknown, id: string) => ({
      accountId: id,
      claims: () => ({ sub: id, ...of.people[id] }),
    }),
    // Its guard refuses clients on loopback.
    fetch: (url: string, { dispatcher: _, ...options }: RequestInit & { dispatcher?: unknown }) => fetch(url, options),
    cookies: { keys: ["a key of the provider's cookies"] },
    features: { backchannelLogout: { enabled: true }, devInteractions: { enabled: true } },
    pkce: { required: () => true },
    // People have agreed already.
    loadExistingGrant: async (context: GrantContext) => {
      const { provider, client, session } = context.oidc;
      const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
      grant.addOIDCScope("openid email groups");
      await grant.save();
      return grant;
    },
  };
}

interface GrantContext {
  oidc: {
    provider: {
      Grant: new (of: object) => { addOIDCScope(scope: string): void; save(): Promise<string> };
    };
    client: { clientId: string };
    session: { accountId: string };
  };
}

/** Changes the JSON of an answer before it is sent. */
function answerWith(response: ServerResponse, change: (body: Record<string, unknown>) => object): void {
  const end = response.end.bind(response) as (text: string) => ServerResponse;
  response.end = ((text: string) => {
    const changed = JSON.stringify(change(JSON.parse(String(text))));
    response.setHeader("content-length", Buffer.byteLength(changed));
    return end(changed);
  }) as typeof response.end;
}

/** Changes the token of an answer before it is sent. */
function spoil(response: ServerResponse, state: { fault: Fault | undefined; key: Key; tokensAsked: number }): void {
  state.tokensAsked++;
  const { fault, key } = state;
  if (!fault) return;
  const end = response.end.bind(response) as (text: string) => ServerResponse;
  response.end = ((text: string) => {
    const body = JSON.parse(String(text));
    const token: Token = {
      claims: decodeJwt(body.id_token),
      header: decodeProtectedHeader(body.id_token) as JWTHeaderParameters,
    };
    fault(token);
    void (token.text === undefined ? sign(key, token.claims, token.header) : Promise.resolve(token.text)).then(
      (signed) => {
        const spoiled = JSON.stringify({ ...body, id_token: signed });
        response.setHeader("content-length", Buffer.byteLength(spoiled));
        end(spoiled);
      },
    );
    return response;
  }) as typeof response.end;
}

/** A browser at the provider, with its cookies. */
export function providerBrowser() {
  const cookies = new Map<string, string>();

  async function get(url: string, form?: Record<string, string>): Promise<Response> {
    const body = form && new URLSearchParams(form);
    const answer = await fetch(url, {
      method: form ? "POST" : "GET",
      redirect: "manual",
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; ") },
      ...(body ? { body } : {}),
    });
    for (const set of answer.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(set)!;
      if (value === "") cookies.delete(name!);
      else cookies.set(name!, value!);
    }
    return answer;
  }

  return {
    /** Signs out at the provider, which reports it to its clients before it answers. */
    async signOut(issuer: string): Promise<void> {
      const asked = await (await get(`${issuer}/session/end`)).text();
      const xsrf = /name="xsrf" value="([^"]+)"/.exec(asked)![1]!;
      const done = await get(`${issuer}/session/end/confirm`, { xsrf, logout: "yes" });
      assert.ok(done.status < 400, await done.text());
    },
    /** Signs in as `login`, if asked, and returns what the page gets to which the provider sends the browser back. */
    async goTo(url: string, login: string): Promise<{ tenantId: string; query: string }> {
      let at = url;
      for (let step = 0; step < 10; step++) {
        const answer = await get(at);
        const next = answer.status === 200 ? await get(at, { prompt: "login", login, password: "x" }) : answer;
        const location = next.headers.get("location");
        assert.ok(location !== null, `the provider answered ${next.status}: ${await next.text()}`);
        const target = new URL(location, at);
        if (target.origin !== new URL(url).origin)
          return { tenantId: /^\/sign-in\/provider\/(.+)$/.exec(target.pathname)![1]!, query: target.search.slice(1) };
        at = target.href;
      }
      throw new Error("the provider sends the browser round");
    },
  };
}
