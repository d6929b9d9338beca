import type { AdapterHealth, PlatformError } from "@hermes/core";
import { SIGNED_OUT } from "./errors.ts";
import type { ServerInfo } from "./wire.ts";

const DEAF =
  "Receiving late: the server tells of no new messages, so its history is read every few seconds. Restart BlueBubbles on the Mac.";
const NO_HELPER = "The server's Private API is on and its helper is not connected: restart Messages on the Mac.";

/** Knows how the server is doing. */
export class Liveness {
  #info: ServerInfo | null = null;
  #isSignedOut = false;

  /** `isDeaf`: the server tells of no new messages. */
  health(isDeaf: boolean): AdapterHealth {
    if (this.#isSignedOut) {
      return { state: "degraded", detail: `Not sending: ${SIGNED_OUT}. Sign in to Messages there.` };
    }
    if (isDeaf) return { state: "degraded", detail: DEAF };
    const { private_api: isOn, helper_connected: isConnected } = this.#info ?? {};
    return isOn && !isConnected ? { state: "up", detail: NO_HELPER } : { state: "up" };
  }

  get hasPrivateApi(): boolean {
    return this.#info?.private_api === true && this.#info.helper_connected === true;
  }

  learn(info: ServerInfo): void {
    this.#info = info;
  }

  /** A message came or went out, or `refusal` is why not. */
  messages(refusal?: PlatformError): void {
    this.#isSignedOut = refusal?.fields.reason === SIGNED_OUT;
  }
}
