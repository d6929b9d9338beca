import { badRequest, notFound } from "./refusal.ts";

const EVENTS = [
  ...["new-message", "updated-message", "message-send-error"],
  ...["group-name-change", "group-icon-changed", "group-icon-removed"],
  ...["participant-removed", "participant-added", "participant-left"],
  ...["chat-read-status-changed", "typing-indicator", "scheduled-message-error", "server-update", "new-server"],
  ...["new-findmy-location", "hello-world", "incoming-facetime", "ft-call-status-changed", "imessage-alias-removed"],
  ...["theme-backup-created", "theme-backup-updated", "theme-backup-deleted"],
  ...["settings-backup-created", "settings-backup-updated", "settings-backup-deleted"],
] as const;

interface Webhook {
  readonly id: number;
  readonly url: string;
  readonly events: readonly string[];
  readonly created: string;
}

/** Where the server posts its events. It keeps the addresses, also when it restarts. */
export class Webhooks {
  #hooks: Webhook[] = [];
  #lastId = 0;
  readonly #now: () => number;
  #underWay = new AbortController();
  /** What was posted last, by address; false when nobody took it. */
  readonly #taken = new Map<string, boolean>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** How many addresses there are that took what was posted last. */
  get reachable(): number {
    return this.#hooks.filter(({ url }) => this.#taken.get(url) !== false).length;
  }

  list(url: string | null, id: string | null): readonly Webhook[] {
    return this.#hooks.filter((hook) => (url === null || hook.url === url) && (id === null || hook.id === Number(id)));
  }

  /** An address that is known already keeps its old events. */
  add(url: unknown, events: unknown): Webhook {
    if (typeof url !== "string" || url === "") throw badRequest("The url field is required.");
    if (!Array.isArray(events)) throw badRequest("The events field is required.");
    if (!url.startsWith("http")) throw badRequest("Webhook URL must include an HTTP scheme!");
    const names = events.map(String);
    const wrong = names.find((name) => name !== "*" && !EVENTS.some((one) => one === name));
    if (wrong !== undefined) {
      throw badRequest(`Invalid webhook event: ${wrong}! Webhook must be one of: *,${EVENTS.join(",")}`);
    }
    const known = this.#hooks.find((hook) => hook.url === url);
    if (known) return known;
    const hook = { id: ++this.#lastId, url, events: names, created: new Date(this.#now()).toISOString() };
    this.#hooks.push(hook);
    return hook;
  }

  remove(id: string): void {
    const hook = this.#hooks.find((one) => one.id === Number(id));
    if (hook === undefined) throw notFound("Webhook does not exist!");
    this.#hooks = this.#hooks.filter((one) => one !== hook);
  }

  /** Posts an event once to each address that wants it, without waiting: one may overtake another, or be lost. */
  dispatch(type: string, data: unknown): void {
    for (const { url, events } of this.#hooks) {
      if (events.includes("*") || events.includes(type)) void this.#post(url, JSON.stringify({ type, data }));
    }
  }

  cut(): void {
    this.#underWay.abort();
    this.#underWay = new AbortController();
  }

  async #post(url: string, body: string): Promise<void> {
    const headers = { "content-type": "application/json" };
    try {
      const response = await fetch(url, { method: "POST", headers, body, signal: this.#underWay.signal });
      await response.arrayBuffer();
      this.#taken.set(url, response.ok);
    } catch {
      this.#taken.set(url, false);
    }
  }
}
