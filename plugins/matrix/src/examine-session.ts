import type { Findings } from "@hermes/core";
import type { MatrixOptions } from "./config.ts";
import type { HomeserverReader } from "./homeserver-reader.ts";
import { CLIENT_API, objectOf, stringOf } from "./wire.ts";

/** How long the end of a login may take, in milliseconds: also when the time for the check is over. */
const LOGOUT_WITHIN_MS = 5_000;

/** A session that the homeserver accepts. */
export interface ExaminedSession {
  readonly api: HomeserverReader;
  readonly userId: string;
  /** Null for a session without a device, and so without keys. */
  readonly deviceId: string | null;
  /** The token of a login that was made for the check alone. */
  readonly loginToken?: string;
}

/** Whose session it is; null where the token is not accepted. */
export async function whoIs(api: HomeserverReader): Promise<ExaminedSession | null> {
  const { status, content } = await api.ask(`${CLIENT_API}/account/whoami`);
  if (status === 401) return null;
  const { user_id: userId, device_id: deviceId } = content;
  return typeof userId === "string" ? { api, userId, deviceId: stringOf(deviceId) ?? null } : null;
}

/** Logs in for the check ("Login"). Null where that is refused; it is told why. */
export async function logInToExamine(
  server: HomeserverReader,
  { user = "", password = "" }: Pick<MatrixOptions, "user" | "password">,
  found: Findings,
): Promise<ExaminedSession | null> {
  const { flows } = (await server.ask(`${CLIENT_API}/login`)).content;
  const types = Array.isArray(flows) ? flows.map((flow) => objectOf(flow).type) : [];
  if (!types.includes("m.login.password")) {
    found.problem("The homeserver takes no passwords.", "Set `accessToken` in place of `user` and `password`.");
    return null;
  }
  const { content, errcode } = await server.ask(`${CLIENT_API}/login`, {
    type: "m.login.password",
    identifier: { type: "m.id.user", user },
    password,
    initial_device_display_name: "Hermes (a check)",
  });
  const { access_token: token, user_id: userId, device_id: deviceId } = content;
  if (errcode !== null || typeof token !== "string" || typeof userId !== "string") {
    found.problem(
      `The homeserver does not accept the name and the password (${errcode ?? "it gave no token"}).`,
      "Check both: the name is the whole id of the bot's account, such as @hermes:example.org.",
    );
    return null;
  }
  return { api: server.as(token), userId, deviceId: stringOf(deviceId) ?? null, loginToken: token };
}

/** Ends a login of the check, and with it its device. */
export async function logOut({ api, loginToken }: ExaminedSession): Promise<void> {
  if (loginToken === undefined) return;
  await api.as(loginToken, AbortSignal.timeout(LOGOUT_WITHIN_MS)).ask(`${CLIENT_API}/logout`, {});
}
