import type { HermesMachine } from "../e2e/support/hermes-process.ts";
import type { Ledger } from "./ledger/ledger.ts";
import { marksIn, questionText } from "./marks.ts";
import type { Act, PlatformName } from "./plan/acts.ts";
import type { StoreFile } from "./store-file.ts";
import type { SoakPlatform } from "./world/soak-platform.ts";

type HandOff = Extract<Act, { does: "hand-off" }>;

/** What a terminal got for its question. */
type TerminalFate = "answered" | "told" | "lost";

interface Carried {
  readonly token: string;
  readonly sessionId: string;
  readonly at: number;
}

/** Terminals that ask something and hand their sessions off, beside everything else that happens. */
export class Handoffs {
  readonly #machine: HermesMachine;
  readonly #ledger: Ledger;
  readonly #file: StoreFile;
  readonly #platforms: ReadonlyMap<PlatformName, SoakPlatform>;
  readonly #carried: Carried[] = [];
  readonly terminals: { readonly token: string; readonly fate: TerminalFate; readonly said: string }[] = [];
  /** Handoffs that ended where a person had written already, with the warning that they did not get through. */
  readonly warned = new Set<string>();
  /** How handoffs ended that did not succeed: how often with which code. */
  readonly refused = new Map<string, number>();

  constructor(parts: {
    readonly machine: HermesMachine;
    readonly ledger: Ledger;
    readonly file: StoreFile;
    readonly platforms: ReadonlyMap<PlatformName, SoakPlatform>;
  }) {
    this.#machine = parts.machine;
    this.#ledger = parts.ledger;
    this.#file = parts.file;
    this.#platforms = parts.platforms;
  }

  async carry({ asked, token, platform }: HandOff, now: () => number): Promise<void> {
    const sessionId = await this.#ask(asked);
    if (sessionId === null) return;
    const target = platform.split(" ")[0] ?? platform;
    this.#carried.push({ token, sessionId, at: now() });
    this.#ledger.note(`session ${sessionId} is handed off to ${target}`, { token });
    const { code, stdout, stderr } = await this.#machine.run(
      ...["handoff", target, "--session", sessionId, "--yes", "--json"],
    );
    const { error } = parse(stdout) as { readonly error?: { readonly code: string; readonly message: string } | null };
    const said = error ? `${error.code}: ${error.message}` : stderr.trim().slice(0, 200);
    this.#ledger.note(`the handoff's terminal ended with ${code} ${said}`.trim(), { token });
    if (code !== 0) {
      const why = error?.code ?? `exit ${code}`;
      this.refused.set(why, (this.refused.get(why) ?? 0) + 1);
    }
    const at = this.#landing(sessionId);
    if (at !== null && code === 0) this.#platforms.get(at.platform)?.follow(at.place);
  }

  /** Enters what has to be shown: the answer of each handoff that the store calls completed. */
  enter(): void {
    for (const { token, sessionId, at } of this.#carried) {
      const landing = this.#landing(sessionId);
      if (landing === null) continue;
      if (landing.isWarned) this.warned.add(token);
      const { chatId, threadId } = landing.place;
      const entry = { token, platform: landing.platform, at, takenAt: at, messageId: null };
      this.#ledger.asked.set(token, { ...entry, place: threadId === undefined ? chatId : `${chatId}/${threadId}` });
    }
  }

  async #ask(token: string): Promise<string | null> {
    this.#ledger.note("asked in a terminal", { token });
    const { code, stdout, stderr } = await this.#machine.run("chat", "-q", questionText(token), "--json");
    const { sessionId } = parse(stdout) as { readonly sessionId?: string };
    const isAnswered = code === 0 && marksIn(stdout).some((mark) => mark.token === token);
    const said = `exit ${code}: ${(stdout + stderr).trim().slice(-300)}`;
    this.terminals.push({ token, fate: isAnswered ? "answered" : code === 0 ? "lost" : "told", said });
    this.#ledger.note(`the terminal ended with ${code}`, { token });
    return isAnswered ? (sessionId ?? null) : null;
  }

  /** Where a session's completed handoff went to; null where none was completed. */
  #landing(sessionId: string) {
    const [row] = this.#file.rows(
      "SELECT platform, conversation, step FROM handoffs WHERE session_id = ? AND state = 'completed' ORDER BY number DESC",
      sessionId,
    );
    if (row === undefined) return null;
    const { chatId, threadId, account } = JSON.parse(String(row.conversation)) as {
      readonly chatId: string;
      readonly threadId?: string;
      readonly account?: string;
    };
    const platform = nameOf(String(row.platform), account);
    const place = { chatId, ...(threadId === undefined ? {} : { threadId }) };
    return { platform, place, isWarned: row.step !== "delivered" };
  }
}

function nameOf(platform: string, account: string | undefined): PlatformName {
  if (platform !== "whatsapp") return platform as PlatformName;
  return account === undefined ? "whatsapp personal" : "whatsapp cloud";
}

function parse(text: string): object {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}
