import { createServer } from "node:net";
import { type Examination, type Finding, type PluginSetupContext, reasonOf } from "@hermes/core";
import { isEveryAddress, type WebOptions } from "./config.ts";
import { unavailable, whyNotListening } from "./errors.ts";
import { PAGE_HEADER } from "./source.ts";
import { readWebFile, type ServedBefore } from "./storage/read-web-file.ts";

/** The timeout for a server on this machine, in milliseconds. */
const PATIENCE_MS = 2_000;

/** The bot as `hermes doctor` names it; the page has no accounts. */
const AGENT = { id: "hermes", name: "Hermes" };

/** The error codes of a connection that nothing answered. */
const UNREACHED = new Set([
  ...["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EADDRNOTAVAIL", "EHOSTUNREACH", "ENETUNREACH", "EINVAL"],
  ...["ETIMEDOUT", "UND_ERR_CONNECT_TIMEOUT"],
]);

/** What answers at an address: nothing, a Hermes' page (with its file's mark), or another program. */
type Answering =
  | { readonly is: "nothing" }
  | { readonly is: "page"; readonly epoch: string }
  | { readonly is: "other-program" }
  /** Browsers block the port, as Node's fetch does. */
  | { readonly is: "refused" };

/** Checks whether the page is or can be served, and who can reach it. */
export async function examine(
  options: WebOptions,
  { folder, clock, signal }: PluginSetupContext,
): Promise<Examination> {
  let read: ServedBefore | null;
  try {
    read = readWebFile(folder, clock.now());
  } catch (error) {
    return { account: null, findings: [unreadable(reasonOf(error))] };
  }
  const { host } = options;
  const port = options.port === 0 ? (read?.port ?? 0) : options.port;
  const answering = port === 0 ? ({ is: "nothing" } as const) : await whatAnswers(urlOf(host, port), signal);
  const isServed = answering.is === "page" && answering.epoch === read?.epoch;
  const findings = [
    isServed ? ok(`The page is served at ${urlOf(host, port)}.`) : await portFinding(options, port, answering),
    ...(options.publicUrl === undefined
      ? openToOthers(host, port)
      : await publicFindings(options.publicUrl, isServed ? answering.epoch : null, signal)),
    signIns(read),
  ];
  return { account: AGENT, findings };
}

async function portFinding({ host, port: wanted }: WebOptions, port: number, answering: Answering): Promise<Finding> {
  const isChosen = wanted !== 0;
  if (answering.is === "refused") {
    const hint = "Set `port` of the web plugin to another.";
    return { state: "problem", message: `Browsers open no page on port ${port}.`, hint };
  }
  if (answering.is !== "nothing" && isChosen) {
    const what = answering.is === "page" ? "the page of another Hermes" : "another program";
    return {
      state: "problem",
      message: `Port ${port} on ${host} is in use by ${what}.`,
      hint: "End that, or set `port` of the web plugin to another, or to 0 for any that is free.",
    };
  }
  // Listen only on a port that needs rights; a gateway that starts at this moment must find the others free.
  const error = await listenBriefly(host, isChosen && port < 1024 ? port : 0);
  if (error !== null) {
    const { reason, hint } = whyNotListening(error, host, port);
    return { state: "problem", message: sentence(reason), hint: sentence(hint) };
  }
  return ok(
    isChosen
      ? `Port ${port} on ${host} is free for the page.`
      : `The gateway serves the page on any port of ${host} that is free.`,
  );
}

/** Who else can reach a page without a `publicUrl`. */
function openToOthers(host: string, port: number): Finding[] {
  if (isLoopback(host)) return [];
  return [
    {
      state: "warning",
      message: `Others on the network reach the page at ${urlOf(host, port)}, by plain HTTP.`,
      hint: "Put something that speaks HTTPS in front and name its address as `publicUrl`, unless you trust that network.",
    },
  ];
}

/** Checks whether `publicUrl` leads to the page. `epoch`: the mark of the page served now; null while none is. */
async function publicFindings(publicUrl: string, epoch: string | null, signal: AbortSignal): Promise<Finding[]> {
  const { origin, protocol, hostname } = new URL(publicUrl);
  const findings: Finding[] = [];
  if (protocol === "http:" && !isLoopback(hostname)) {
    findings.push({
      state: "warning",
      message: `${origin} is plain HTTP: whoever can read the network's traffic reads along, and can take the sign-in.`,
      hint: "Reach the page by HTTPS, and let `publicUrl` begin with https://.",
    });
  }
  if (epoch === null) return findings;
  const answering = await whatAnswers(origin, signal);
  if (answering.is === "page" && answering.epoch === epoch) return [...findings, ok(`${origin} leads to the page.`)];
  const message =
    answering.is === "nothing"
      ? `${origin} cannot be reached from this machine.`
      : `What answers at ${origin} is not this page.`;
  const hint = "Look at what is in front of the page: it has to pass requests on, with the `Host` they came with.";
  return [...findings, { state: "warning", message, hint }];
}

function signIns(read: ServedBefore | null): Finding {
  const count = read?.browsers ?? 0;
  if (count > 0) return ok(count === 1 ? "1 browser is signed in." : `${count} browsers are signed in.`);
  return { ...ok("No browser is signed in yet."), hint: "`hermes web open` prints a link that signs one in." };
}

function unreadable(reason: string): Finding {
  return {
    state: "problem",
    message: `The page's file cannot be read: ${reason}.`,
    hint: "Move `web.db` out of `plugins/web` in Hermes' home to begin with an empty page; sessions stay as they are.",
  };
}

async function whatAnswers(origin: string, signal: AbortSignal): Promise<Answering> {
  const patience = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]);
  try {
    const response = await fetch(new URL("/healthz", origin), { signal: patience, redirect: "manual" });
    await response.body?.cancel();
    const epoch = response.headers.get(PAGE_HEADER);
    return epoch === null ? { is: "other-program" } : { is: "page", epoch };
  } catch (error) {
    if (signal.aborted) throw unavailable("what listens there took too long to answer");
    const { cause } = error as { readonly cause?: { readonly code?: unknown; readonly message?: unknown } };
    if (cause?.message === "bad port") return { is: "refused" };
    return { is: UNREACHED.has(String(cause?.code)) ? "nothing" : "other-program" };
  }
}

function listenBriefly(host: string, port: number): Promise<Error | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", resolve);
    server.listen(port, host.replace(/^\[|\]$/g, ""), () => server.close(() => resolve(null)));
  });
}

/** The address by which this machine reaches a server that listens on `host`. */
function urlOf(host: string, port: number): string {
  const bare = host.replace(/^\[|\]$/g, "");
  const reached = isEveryAddress(host) ? (bare.includes(":") ? "::1" : "127.0.0.1") : bare;
  return `http://${reached.includes(":") ? `[${reached}]` : reached}:${port}`;
}

function isLoopback(host: string): boolean {
  return /^(?:localhost|127(?:\.\d+){3}|\[?::1\]?)$/i.test(host);
}

function ok(message: string): Finding {
  return { state: "ok", message };
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
