import type { Clock } from "@hermes/core";
import { SCOPES } from "#src/identity";
import { History } from "./history.ts";
import { Refusal } from "./params.ts";

/** A file as Slack keeps it. */
export interface StoredFile {
  readonly id: string;
  readonly name: string;
  readonly mediaType: string;
  content: Buffer;
}

/** A message as Slack keeps it. */
export interface StoredMessage {
  readonly ts: string;
  readonly user: string;
  /** The root of its thread; missing at the top of a channel. */
  readonly threadTs?: string | undefined;
  /** Of messages that programs wrote. */
  readonly botId?: string | undefined;
  readonly appId?: string | undefined;
  readonly metadata?: { readonly event_type: string; readonly event_payload: unknown } | undefined;
  readonly files: readonly StoredFile[];
  /** What hangs on it: a message that was shared. */
  readonly attachments?: readonly object[] | undefined;
  /** Of what Slack itself says. */
  readonly subtype?: string | undefined;
  text: string;
  blocks?: readonly unknown[] | undefined;
  isEdited: boolean;
}

export interface Channel {
  readonly id: string;
  readonly name: string;
  readonly type: "im" | "channel" | "group";
  /** Of a direct message: the person at the other end. */
  readonly userId?: string;
  isMember: boolean;
  isArchived: boolean;
  readonly messages: History;
}

/** The app that the client speaks as. */
export const APP = { appId: "A0HERMES", botId: "B0HERMES", userId: "U0HERMES", name: "hermes" } as const;

/** The person who writes when nobody is named. */
export const ADA = "U0ADA";

/** A workspace with its channels and people. */
export class Workspace {
  readonly teamId: string;
  readonly scopes = new Set(SCOPES);
  /** Those of the app-level token. */
  readonly appScopes = new Set(["connections:write"]);
  readonly users = new Map<string, string>([
    [ADA, "Ada"],
    [APP.userId, APP.name],
  ]);
  readonly files = new Map<string, StoredFile>();
  /** The "is writing" statuses that are shown, by channel and `ts`. */
  readonly statuses = new Map<string, string>();
  readonly channels: readonly Channel[] = [
    channel("D0ADA", "Ada", "im", ADA),
    channel("C0TEAM", "team", "channel"),
    channel("C0PRIVATE", "private", "group"),
  ];
  readonly #clock: Clock;
  readonly #timers = new Set<Disposable>();
  /** Files are shared so long after they were completed, in milliseconds; Slack looks through them first. */
  sharesAfterMs = 0;
  /** In microseconds since 1970. */
  #lastTs = 0;
  /** Where files are downloaded. */
  filesUrl = "";
  #nextId = 1;

  constructor(teamId: string, clock: Clock) {
    this.teamId = teamId;
    this.#clock = clock;
  }

  get url(): string {
    return `https://${this.teamId.toLowerCase()}.slack.com/`;
  }

  later(ms: number, run: () => void): void {
    const timer = this.#clock.setTimer(ms, () => {
      this.#timers.delete(timer);
      run();
    });
    this.#timers.add(timer);
  }

  close(): void {
    for (const timer of this.#timers) timer[Symbol.dispose]();
  }

  newId(prefix: string): string {
    return `${prefix}0${String(this.#nextId++).padStart(8, "0")}`;
  }

  /** A new `ts`, greater than any before. */
  newTs(): string {
    this.#lastTs = Math.max(this.#lastTs + 1, Math.floor(this.#clock.now()) * 1_000);
    return `${Math.floor(this.#lastTs / 1_000_000)}.${String(this.#lastTs % 1_000_000).padStart(6, "0")}`;
  }

  /** A channel that exists, whether the bot sees it or not. */
  channel(id: string): Channel {
    const found = this.channels.find((one) => one.id === id);
    if (!found) throw new Refusal("channel_not_found");
    return found;
  }

  /** A channel that the bot may look into: private ones do not exist for others. */
  visibleChannel(id: string): Channel {
    const found = this.channel(id);
    if (!found.isMember && found.type !== "channel") throw new Refusal("channel_not_found");
    return found;
  }

  /** A channel that the bot may write in. */
  writableChannel(id: string): Channel {
    const found = this.visibleChannel(id);
    if (!found.isMember) throw new Refusal("not_in_channel");
    if (found.isArchived) throw new Refusal("is_archived");
    return found;
  }

  needScope(...oneOf: readonly string[]): void {
    if (oneOf.some((scope) => this.scopes.has(scope))) return;
    throw new Refusal("missing_scope", { needed: oneOf.join(","), provided: [...this.scopes].join(",") });
  }

  /**
   * Adds a message. One for a thread whose root is gone comes to stand at the top of the channel: Slack reports no
   * error, and only the missing `thread_ts` tells.
   */
  add(to: Channel, message: Omit<StoredMessage, "ts" | "isEdited" | "files"> & { files?: readonly StoredFile[] }) {
    const root = message.threadTs === undefined ? undefined : to.messages.get(message.threadTs);
    const hasRoot = root !== undefined && root.threadTs === undefined;
    const stored: StoredMessage = {
      files: [],
      ...message,
      threadTs: hasRoot ? message.threadTs : undefined,
      ts: this.newTs(),
      isEdited: false,
    };
    to.messages.add(stored);
    return stored;
  }

  #showFile({ id, name, mediaType, content }: StoredFile): Record<string, unknown> {
    return {
      ...{ id, name, title: name, mimetype: mediaType, size: content.length, mode: "hosted" },
      url_private_download: `${this.filesUrl}/${id}/download/${encodeURIComponent(name)}`,
    };
  }

  /** A message as the Web API and events show it. */
  show(message: StoredMessage, at: Channel): Record<string, unknown> {
    const { ts, user, text, threadTs, botId, appId, blocks, metadata, files, attachments, isEdited, subtype } = message;
    const replies = at.messages.thread(ts);
    const root = threadTs === undefined ? undefined : at.messages.get(threadTs);
    return {
      type: "message",
      user,
      text,
      ts,
      team: this.teamId,
      ...(botId === undefined ? {} : { bot_id: botId, app_id: appId }),
      ...(blocks === undefined ? {} : { blocks }),
      ...(root === undefined ? {} : { thread_ts: root.ts, parent_user_id: root.user }),
      ...(replies.length === 0 ? {} : { thread_ts: ts, reply_count: replies.length, latest_reply: replies.at(-1)?.ts }),
      ...(metadata === undefined ? {} : { metadata }),
      ...(isEdited ? { edited: { user, ts } } : {}),
      ...(attachments === undefined ? {} : { attachments }),
      ...(subtype === undefined ? {} : { subtype }),
      ...(files.length === 0 ? {} : { files: files.map((file) => this.#showFile(file)) }),
    };
  }
}

function channel(id: string, name: string, type: Channel["type"], userId?: string): Channel {
  const person = userId === undefined ? {} : { userId };
  return { id, name, type, ...person, isMember: true, isArchived: false, messages: new History() };
}
