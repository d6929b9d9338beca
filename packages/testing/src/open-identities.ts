import type { Clock, Identities, PlatformOptions, Sender } from "@hermes/core";
import { openStore } from "@hermes/core/embed";
import { KnownIdentities } from "@hermes/core/internal";

/** The identities that a gateway gives a plugin, for tests of an adapter without a gateway. */
export interface TestIdentities extends Identities, AsyncDisposable {
  /** Stores a sender, as the gateway does for somebody who is allowed to talk to the agent. */
  keep(sender: Sender): Promise<void>;
}

/** Opens the identities of a platform account, in a real store in `folder`. */
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
