import { inject, Lifecycle, scoped } from "tsyringe";
import { HermesError } from "../../base/errors.ts";
import type { Host } from "../../host/host.ts";
import type { Approval, Decider } from "../../model/approval.ts";
import { askedText } from "../../model/approval-text.ts";
import type { SessionId } from "../../model/session.ts";
import type { Turn, TurnId } from "../../model/turn.ts";
import { quoted } from "../../permissions/shell/static-word.ts";
import type { Output } from "../../terminal/output.ts";
import { CHAT, type ChatOptions, HOST, OUTPUT } from "./tokens.ts";

/** What a command ends with where a person would have to be asked, and nobody was there: EX_TEMPFAIL of sysexits.h. */
export const NOBODY_ASKED_EXIT = 75;

const HERMES: Decider = { name: "Hermes", author: "terminal" };

/** Says no to the open questions of a turn, since nobody is there to be asked; the agent is told why. Returns them. */
export async function denyUnasked({ store }: Host, turnId: TurnId): Promise<readonly Approval[]> {
  const open = (await store.approvals.ofTurn(turnId)).filter(({ state }) => state === "open");
  for (const one of open) {
    const decision = { kind: "no", word: reasonFor(one) } as const;
    await store.approvals.decide({ id: one.id, decision, by: HERMES, surface: "terminal" });
  }
  return open;
}

function reasonFor(approval: Approval): string {
  if (approval.kind === "question") return "nobody is here to answer; choose yourself, and say what you chose";
  if (approval.kind === "limit") return "nobody is here to be asked";
  const command = commandFor(approval, "hermes");
  const how = command === null ? "no rule can allow it" : `it is allowed with: ${command}`;
  return `nobody is here to be asked; ${how}`;
}

/** The commands that add the rules for a call; null where no rule would allow it. */
function commandFor({ rules }: Pick<Approval, "rules">, hermes: string): string | null {
  return rules.length === 0 ? null : rules.map((rule) => `${hermes} permissions add ${quoted([rule])}`).join(" && ");
}

/** Says what was denied, and how it is allowed. */
export function noteDenied(output: Output, denied: readonly Approval[]): void {
  for (const one of denied) {
    if (one.kind === "question") {
      output.note(`The agent asked, and nobody could answer: ${askedText(one)}`);
      continue;
    }
    if (one.kind === "limit") {
      output.note(`Nobody could be asked whether to ${askedText(one)}.`);
      continue;
    }
    const command = commandFor(one, output.hermesCall);
    const how = command === null ? "No rule can allow it." : `Allow it with: ${command}`;
    output.note(`Denied, since nobody could be asked: ${askedText(one)}. ${how}`);
  }
}

/** Says what a turn waits for, and how it is answered from elsewhere. */
export function noteWaiting(output: Output, open: readonly Approval[]): void {
  for (const one of open) output.note(`${one.code}  waits for an answer: ${askedText(one)}`);
  const [first] = open;
  if (first === undefined) return;
  const { code, sessionId } = first;
  output.note(
    `\`hermes approvals allow ${code}\` or \`hermes approvals deny ${code}\` answers it; then \`hermes resume ${sessionId}\` goes on.`,
  );
}

/** An open or denied question in a JSON document. */
export function questionDocument({ code, kind, tool, summary, rules }: Approval) {
  return { code, kind, tool, summary, rules };
}

/** What has to be asked where nobody sits at the terminal: it is denied, or left to wait. */
@scoped(Lifecycle.ContainerScoped)
export class Unasked {
  /** What the process ends with. */
  exit: 0 | typeof NOBODY_ASKED_EXIT = 0;

  constructor(
    @inject(OUTPUT) readonly output: Output,
    @inject(HOST) readonly host: Host,
    @inject(CHAT) readonly options: ChatOptions,
  ) {}

  /** Says no to what a turn asks, so that it can go on. False: it is left to wait. */
  async deny({ id, sessionId }: Turn): Promise<boolean> {
    this.exit = NOBODY_ASKED_EXIT;
    const { waits = false } = this.options;
    if (waits) noteWaiting(this.output, await this.host.store.approvals.open(sessionId));
    else noteDenied(this.output, await denyUnasked(this.host, id));
    return !waits;
  }
}

/** Throws TURN_WAITS where a turn of the session waits for people: nobody here can be asked. */
export async function refuseWhileWaiting({ store }: Host, sessionId: SessionId): Promise<void> {
  const [first] = await store.approvals.open(sessionId);
  if (first === undefined) return;
  const session = await store.sessions.get(sessionId);
  throw new HermesError("TURN_WAITS", { title: session?.title ?? sessionId, asked: askedText(first) });
}
