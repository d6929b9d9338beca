import type { InboundMessage } from "../adapter/message.ts";

/**
 * What only the operator may see and do: everything that goes on in Hermes. A plugin gets it if its manifest asks for it
 * (`"overview": true`) and the config's `overview` allows the package. Each call looks up, at that moment, whether the
 * visitor is the operator in a private chat of the plugin's own account; OVERVIEW_REFUSED for everybody else.
 */
export interface OperatorOverview {
  /** Whether a visitor may see it now. */
  isFor(visitor: Visitor): Promise<boolean>;
  /** Reads a document, as the command that prints it with `--json` does. */
  read(visitor: Visitor, query: OverviewQuery): Promise<OverviewDocument>;
  /** Does something, and returns what the command for it prints with `--json`. Throws that command's errors, too. */
  act(visitor: Visitor, action: OverviewAction): Promise<OverviewDocument>;
  /** Calls `listener` soon after anything changed, without saying what. */
  watch(listener: () => void): Disposable;
}

/** Somebody who looks at the overview, and the conversation that they are in. */
export type Visitor = Pick<InboundMessage, "conversation" | "sender">;

/** What `--json` prints; plain data. */
export type OverviewDocument = Readonly<Record<string, unknown>>;

/** What can be read of the overview, each with the command whose `--json` it is. */
export type OverviewQuery =
  /** `hermes status` */
  | { readonly of: "status" }
  /** `hermes sessions --limit … --after … --matching …` */
  | {
      readonly of: "sessions";
      readonly limit: number;
      readonly after?: string | undefined;
      readonly matching?: string | undefined;
    }
  /** `hermes sessions where <id>` */
  | { readonly of: "session"; readonly id: string }
  /** `hermes handoffs --limit …` */
  | { readonly of: "handoffs"; readonly limit: number }
  /** `hermes deliveries --limit …` */
  | { readonly of: "deliveries"; readonly limit: number }
  /** `hermes approvals` */
  | { readonly of: "approvals" }
  /** `hermes lanes --limit …` */
  | { readonly of: "lanes"; readonly limit: number; readonly offset?: number | undefined }
  /** `hermes leases` */
  | { readonly of: "leases" }
  /** `hermes passes` */
  | { readonly of: "passes" }
  /** `hermes people` */
  | { readonly of: "people" }
  /** `hermes people requests` */
  | { readonly of: "requests" }
  /** `hermes usage --by … --since …d --limit …` */
  | {
      readonly of: "usage";
      readonly by: "session" | "day" | "person" | "model";
      readonly days: number;
      readonly limit: number;
    }
  /** `hermes places` */
  | { readonly of: "places" };

/** What an operator can do by the overview, each with the command that does the same. */
export type OverviewAction =
  /** `hermes deliveries retry <id>`; `readBy`, as in the document: although it is held back, and they can read it there */
  | { readonly do: "retry-delivery"; readonly id: string; readonly readBy?: string | null | undefined }
  /** `hermes deliveries drop <id>` */
  | { readonly do: "drop-delivery"; readonly id: string }
  /** `hermes handoffs cancel <id>` */
  | { readonly do: "cancel-handoff"; readonly id: string }
  /** `hermes approvals allow <code>`, with `--session` */
  | { readonly do: "allow"; readonly code: string; readonly session?: boolean | undefined }
  /** `hermes approvals allow <code> <answer>` */
  | { readonly do: "answer"; readonly code: string; readonly answer: string }
  /** `hermes approvals deny <code> <why>` */
  | { readonly do: "deny"; readonly code: string; readonly why?: string | undefined }
  /** `hermes passes revoke <number>` */
  | { readonly do: "revoke-pass"; readonly number: number }
  /** `hermes handoff <to> --session <id> --no-wait`; `yes`: although others can read there */
  | { readonly do: "hand-off"; readonly id: string; readonly to: string; readonly yes?: boolean | undefined }
  /** `hermes people add <name> --role …` */
  | { readonly do: "add-person"; readonly name: string; readonly role: "operator" | "member" }
  /** `hermes people rename <id> <name>` */
  | { readonly do: "rename-person"; readonly id: string; readonly name: string }
  /** `hermes people role <id> <role>` */
  | { readonly do: "set-role"; readonly id: string; readonly role: "operator" | "member" }
  /** `hermes people remove <id>` */
  | { readonly do: "remove-person"; readonly id: string }
  /** `hermes link --person <id>` */
  | { readonly do: "make-link-code"; readonly id: string }
  /** `hermes link`: whether whoever sent a link code is the person */
  | { readonly do: "settle-link"; readonly number: number; readonly isThem: boolean }
  /** `hermes people approve <number>`, `hermes people deny <number>` */
  | { readonly do: "let-in" | "turn-away"; readonly number: number }
  /** `hermes people unlink <platform> <key>` */
  | { readonly do: "unlink"; readonly platform: string; readonly account: string | null; readonly key: string };

/** The scope of Hermes' own packages: only its owner can publish in it. */
const OWN_SCOPE = "@hermes/core".replace(/core$/, "");

/**
 * Whether a plugin gets the overview. `allowed`: the packages that the config names; null if it names none, and then
 * Hermes' own packages get it.
 */
export function mayHaveOverview(
  manifest: { readonly package: string; readonly overview: boolean } | null,
  allowed: readonly string[] | null,
): boolean {
  if (!manifest?.overview) return false;
  return allowed === null ? manifest.package.startsWith(OWN_SCOPE) : allowed.includes(manifest.package);
}
