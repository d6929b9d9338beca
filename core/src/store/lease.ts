import type { Holder } from "../base/process-identity.ts";

/** Rights to do something alone, by name. Those of turns and handoffs lie with their rows. */
export interface LeaseStore {
  /** Takes a lease, or renews the own. False while another live holder has it. */
  acquire(name: string, holder: Holder, leaseMs: number): Promise<boolean>;
  release(name: string, holder: Holder): Promise<void>;
}

/** The name of the lease on a platform account. */
export function accountLease(platform: string, account: string | undefined): string {
  return `account:${platform}:${account ?? ""}`;
}
