import { type Examination, Findings, PlatformError, type PluginSetupContext } from "@hermes/core";
import type { MatrixOptions } from "./config.ts";
import { examineHome } from "./examine-home.ts";
import { type ExaminedSession, logInToExamine, logOut, whoIs } from "./examine-session.ts";
import { HomeserverReader } from "./homeserver-reader.ts";
import { type KeptFacts, readKeptFacts } from "./store/kept-facts.ts";
import { objectOf, stringOf } from "./wire.ts";

const LOG_IN_ANEW = "Log in anew from the command line for a token that no app uses, or set `user` and `password`.";

/**
 * Looks the homeserver, the session and the home channel over by calls that only read. It does not sync: that would take
 * keys away from a gateway that runs. A password that no gateway has used yet is proved by a login, which is ended at once.
 */
export async function examine(options: MatrixOptions, { folder, signal }: PluginSetupContext): Promise<Examination> {
  const found = new Findings();
  const server = new HomeserverReader(options.homeserverUrl, signal);
  await found.during(async () => {
    if (!(await isHomeserver(server, options, found))) return;
    const kept = readKeptFacts(folder);
    const session = await sessionToExamine(server, options, kept, found);
    if (session === null) return;
    try {
      await examineSession(session, options, kept, found);
    } finally {
      if (session.loginToken) await logOut(session);
    }
  });
  return found.toExamination();
}

/** Where a server has its homeserver stands in its `.well-known` ("Server discovery"): people know the former's name. */
async function isHomeserver(server: HomeserverReader, { homeserverUrl }: MatrixOptions, found: Findings) {
  const answer = await orUnavailable(server.ask("/_matrix/client/versions"));
  if (!(answer instanceof PlatformError) && Array.isArray(answer.content.versions)) return true;
  const known = await orUnavailable(server.ask("/.well-known/matrix/client"));
  const named = known instanceof PlatformError ? {} : objectOf(known.content["m.homeserver"]);
  const { host } = new URL(homeserverUrl);
  const url = URL.canParse(stringOf(named.base_url) ?? "") ? new URL(String(named.base_url)) : null;
  if (url !== null && url.host !== host) {
    const message = `${host} is not the homeserver itself: that is at ${url.host}.`;
    found.problem(message, `Set \`homeserverUrl\` to ${url.href.replace(/\/+$/, "")}.`);
  } else if (answer instanceof PlatformError) throw answer;
  else found.problem(`What answers at ${host} is no homeserver.`, "Check `homeserverUrl`.");
  return false;
}

async function orUnavailable<T>(call: Promise<T>): Promise<T | PlatformError> {
  return call.catch((error: unknown) => {
    if (error instanceof PlatformError && error.code === "PLATFORM_UNAVAILABLE") return error;
    throw error;
  });
}

/** The session that a gateway would use, or one of the check's own. Null where there is none; it is told why. */
async function sessionToExamine(
  server: HomeserverReader,
  { accessToken, user, password }: MatrixOptions,
  kept: KeptFacts,
  found: Findings,
): Promise<ExaminedSession | null> {
  if (accessToken !== undefined) {
    const session = await whoIs(server.as(accessToken));
    if (session !== null) return session;
    if (user === undefined || password === undefined) {
      found.problem("The homeserver does not accept the access token.", LOG_IN_ANEW);
      return null;
    }
    found.warning("The homeserver accepts the access token no more; the password is used.", LOG_IN_ANEW);
  }
  const session = kept.session?.user === user ? kept.session : null;
  const known = session && (await whoIs(server.as(session.accessToken)));
  return known ?? logInToExamine(server, { user, password }, found);
}

async function examineSession(session: ExaminedSession, options: MatrixOptions, kept: KeptFacts, found: Findings) {
  const { api, userId, deviceId, loginToken } = session;
  found.account = { id: userId, name: userId, link: `https://matrix.to/#/${encodeURIComponent(userId)}` };
  found.ok(`The homeserver accepts the bot's session: it is ${userId}.`);
  const problem = loginToken ? null : await keyProblem(session, kept);
  if (problem !== null) found.warning(`${problem}, so encrypted rooms stay closed to the bot.`, LOG_IN_ANEW);
  const { homeChannel: home } = options;
  if (home === undefined) return;
  const hasKeys = deviceId !== null && problem === null;
  await found.during(() => examineHome({ api, userId, hasKeys, options, found }, home));
}

/** Why there is no encryption for a session; null where there is. */
async function keyProblem({ api, userId, deviceId }: ExaminedSession, { owner }: KeptFacts): Promise<string | null> {
  if (deviceId === null) return "The access token belongs to no device";
  const { device_keys: users } = await api.post("/keys/query", { device_keys: { [userId]: [] } });
  const { keys } = objectOf(objectOf(objectOf(users)[userId])[deviceId]);
  const isPublished = objectOf(keys)[`ed25519:${deviceId}`] !== undefined;
  if (!isPublished || owner === `${userId} ${deviceId}`) return null;
  return "The keys of the session are not here: another program uses its token too, or Hermes' folder was lost";
}
