import { silentLogger } from "../../base/logger.ts";
import { Delivery } from "./delivery.ts";

/** For tests of what is sent and shown: everybody may read it. */
const EVERYBODY = { mayRead: async () => true, reading: async () => ({ may: true }) };

/** For tests that send no file. */
export const NO_FILES = { read: async () => null };

/** For tests: what one gateway sends. It has the account of a platform without names of accounts, and no home channel. */
export function deliveryOf({
  store,
  clock,
  holder,
  adapter,
  files = NO_FILES,
}: Pick<Delivery, "store" | "clock" | "holder" | "adapter"> & Partial<Pick<Delivery, "files">>): Delivery {
  const account = { account: undefined };
  const redact = (text: string) => text;
  return new Delivery(store, clock, silentLogger, holder, redact, adapter, account, { home: null }, EVERYBODY, files);
}
