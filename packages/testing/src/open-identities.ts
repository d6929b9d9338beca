import type { Clock, Identities, PlatformOptions, Sender } from "@hermes/core";
import { openStore } from "@hermes/core/embed";
import { KnownIdentities } from "@hermes/core/internal";

/** What a gateway gives a plugin, for tests that run an adapter without one. */
export interface TestIdentities extends Identities, AsyncDisposable {
  /** What the gateway does with a message of somebody who is allowed to talk to the agent. */
  keep(sender: Sender): Promise<void>;
}

/** Who is who on a platform account, in a real store of the folder's own. */
export async function openIdentities(
  folder: string,
  {
    platform,
    options = {},
    clock,
  }: { readonly platform: string; readonly options?: Partial<PlatformOptions>; readonly clock: Clock },
): Promise<TestIdentities> {
  const store = await openStore(folder, { clock });
  const known = new KnownIdentities(store, platform, { allowedUsers: [], operators: [], ...options });
  return Object.assign(known, { [Symbol.asyncDispose]: () => store.close() });
}
