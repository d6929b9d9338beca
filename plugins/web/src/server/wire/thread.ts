/**
 * The JSON between the page and its server. The page's build includes this file too, so it imports nothing.
 */

export type MessageKind = "user" | "answer" | "card" | "notice" | "echo" | "earlier" | "question";

/** A button below a message. Its id grants a right, so only signed-in browsers get it. */
export interface WireChoice {
  readonly id: string;
  /** Plain text. */
  readonly label: string;
  readonly style: "plain" | "primary" | "danger";
}

/** The message that another one replies to, as it was at that time. */
export interface WireQuote {
  readonly id: string;
  readonly author: "user" | "agent" | "hermes";
  /** The beginning of it. */
  readonly text: string;
}

/** A file of a message, of Hermes as of a person; or one that a person attaches, as `POST /api/files` answers. */
export interface WireFile {
  /** The SHA-256 of its content, in hexadecimal digits. */
  readonly id: string;
  readonly name: string;
  readonly mediaType: string;
  /** Bytes. */
  readonly size: number;
  /**
   * The path on the page's own address where a signed-in browser gets the content: with a `picture` for `<img src>` and a
   * link that opens it, else for `<a href download>`, which the server has the browser save under `name`. Null where the
   * page keeps no content: of a text that a person sent, and of what is being attached. It answers 410 once the message
   * or the content is gone, so a picture needs words in its place.
   */
  readonly path: string | null;
  /** The size of a PNG, JPEG, GIF or WebP in pixels, as its header says; null for what is no picture to show. */
  readonly picture: WirePicture | null;
}

/** Known before the picture is there, so that its place can be kept free. */
export interface WirePicture {
  readonly width: number;
  readonly height: number;
}

export interface WireMessage {
  /** Chosen by the browser for a person's message; by the server for others. */
  readonly id: string;
  readonly threadId: string;
  /** Orders the messages of all threads. */
  readonly seq: number;
  readonly kind: MessageKind;
  readonly author: "user" | "agent" | "hermes";
  /** Of an `echo`: where it was written, such as `in the terminal`. */
  readonly place: string | null;
  /** Markdown. */
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly sentAt: number;
  readonly editedAt: number | null;
  /** Of a person's message: whether Hermes has stored it. */
  readonly isAccepted: boolean;
  readonly replyTo: WireQuote | null;
  /** Of a person's message, what they attached; of Hermes', a file with `text` as its caption, which may be empty. */
  readonly files: readonly WireFile[];
  /** The turn that it says something of, whose calls stand in front of it; null where there is none. */
  readonly turnId: string | null;
  /** Of `earlier`: whether it can be read in parts, with all that was said before. */
  readonly hasParts: boolean;
  /** Of a `question`; empty when there are none. */
  readonly choices: readonly WireChoice[];
  /** Increases with every change of the file; of two versions of a message, the newer has the higher one. */
  readonly change: number;
}

export interface WireThread {
  /** `home` for the home channel. */
  readonly id: string;
  readonly name: string;
  readonly createdAt: number;
  readonly activityAt: number;
  /** How many messages the person has not seen. */
  readonly unread: number;
  /** The beginning of the last message. */
  readonly preview: WirePreview | null;
  readonly change: number;
}

export interface WirePreview {
  readonly seq: number;
  readonly author: WireMessage["author"];
  readonly text: string;
}

/** GET /api/chats */
export interface ChatsAnswer {
  readonly home: WireThread;
  /** The latest activity first. */
  readonly threads: readonly WireThread[];
  /** The `after` for GET /api/events. */
  readonly eventId: string;
  /** Whether the person may see the overview. */
  readonly mayOversee: boolean;
  /** Whether Hermes shows sessions on the page: which ones, it decides at each request. */
  readonly hasSessions: boolean;
}

/** A session that the person may see. */
export interface WireListed {
  readonly id: string;
  readonly title: string | null;
  readonly messageCount: number;
  readonly updatedAt: number;
  /** Where it was last used, such as `in the terminal`. */
  readonly lastPlace: string;
  readonly openQuestions: number;
  readonly isRunning: boolean;
  /** The threads of the page that show it, the one used last first; `home` for the home channel. */
  readonly threads: readonly string[];
  /** Where else it is open, such as `in a terminal (pid 12)`. */
  readonly elsewhere: readonly string[];
}

/** GET /api/sessions */
export interface WireListedAnswer {
  /** The most recently used first. */
  readonly sessions: readonly WireListed[];
  /** The `after` for the next page; null at the end. */
  readonly cursor: string | null;
}

/** A message that was found by its words. */
export interface WireFound {
  readonly session: WireListed;
  readonly seq: number;
  readonly by: "you" | "agent" | "tool" | "hermes";
  readonly at: number;
  /** The words around what was found. */
  readonly excerpt: readonly { readonly text: string; readonly isFound: boolean }[];
}

/** GET /api/sessions/search: the newest message first. */
export interface FoundAnswer {
  readonly found: readonly WireFound[];
}

/** POST /api/sessions/open and /api/sessions/new */
export interface OpenedAnswer {
  readonly threadId: string;
}

/** GET /api/threads/:id/session */
export interface WireSessionHere {
  /** Null before the first message. */
  readonly sessionId: string | null;
  readonly title: string | null;
  /** `<provider>/<model>`; null where none is known. */
  readonly model: string | null;
  readonly isOwnModel: boolean;
  /** Models that can be chosen, besides any other by its name. */
  readonly models: readonly string[];
  readonly mayChooseModel: boolean;
  readonly mode: string;
  readonly modes: readonly { readonly mode: string; readonly meaning: string; readonly isAllowed: boolean }[];
  /** Tokens at the last request; `of`: that the model reads, null where that is not known. */
  readonly window: { readonly sent: number; readonly of: number | null; readonly isEstimated: boolean } | null;
  /** Such as `$1.20` and `$1.20 for 3 requests: …`. */
  readonly usage: { readonly cost: string; readonly text: string } | null;
  readonly turn: {
    readonly state: "running" | "waiting";
    readonly place: string;
    readonly startedAt: number;
  } | null;
  readonly mayStop: boolean;
  readonly elsewhere: readonly string[];
}

/** GET /api/threads/:id/messages */
export interface MessagesAnswer {
  readonly thread: WireThread;
  /** Oldest first. */
  readonly messages: readonly WireMessage[];
  /** Whether there are older ones; request them with `before` = the first one's `seq`. */
  readonly hasMore: boolean;
}

/** POST /api/threads/:id/messages: 201 for a new message, 200 for an existing one. */
export interface PostAnswer {
  readonly message: WireMessage;
}

/** The body of every refusal. */
export interface ErrorAnswer {
  readonly error: { readonly code: string; readonly text: string };
}

/** What is said at another place while it is written there. */
export interface WireGrowing {
  /** Where, such as `in the terminal`. */
  readonly place: string;
  /** What was asked there. */
  readonly asked: string;
  /** Markdown. */
  readonly text: string;
}

/** The calls of tools in a turn. Only the operator gets them. */
export interface WireTurn {
  readonly turnId: string;
  /** Whether it runs, or waits to go on. */
  readonly isOpen: boolean;
  readonly calls: readonly WireCall[];
}

export interface WireCall {
  /** Unique within its turn. */
  readonly id: string;
  readonly name: string;
  /** What it does, on one line of plain text. */
  readonly summary: string;
  readonly state: "waits" | "runs" | "done" | "failed" | "not-run";
  /** Milliseconds since 1970. */
  readonly beganAt: number | null;
  readonly endedAt: number | null;
  readonly outcome: WireOutcome | null;
}

/** What a call put out, or as a unified diff what it changed. */
export interface WireOutcome {
  readonly kind: "text" | "diff";
  readonly lines: readonly string[];
  /** How many more lines there are: behind those of a diff, in front of those of a text. */
  readonly folded: number;
}

/** GET /api/threads/:id/calls?turns=<ids, with commas between> */
export interface CallsAnswer {
  readonly turns: readonly WireTurn[];
}

/** GET /api/threads/:id/outcome?turn=…&call=… */
export interface OutcomeAnswer {
  readonly outcome: WireOutcome;
}

export interface WireEarlier {
  readonly seq: number;
  readonly author: WireMessage["author"];
  readonly place: string | null;
  /** Empty where there are only calls. */
  readonly markdown: string;
  readonly saidAt: number;
  readonly turnId: string | null;
  readonly calls: readonly WireCall[];
}

/** GET /api/threads/:id/earlier?message=…&before=… */
export interface EarlierAnswer {
  /** Oldest first. */
  readonly messages: readonly WireEarlier[];
  /** The `before` for what was said in front of it; null at the beginning. */
  readonly before: number | null;
}

/** GET /api/events: `event:` is the type, `data:` the rest. `message`, `thread` and `thread-gone` have an id to resume
 * from. */
export type WireEvent =
  | { readonly type: "message"; readonly message: WireMessage }
  | { readonly type: "thread"; readonly thread: WireThread }
  | { readonly type: "thread-gone"; readonly threadId: string }
  | { readonly type: "typing"; readonly threadId: string; readonly forMs: number }
  /** Something that the overview shows may have changed; sent only while the person may see it. */
  | { readonly type: "overview" }
  /** What is being said elsewhere in the session of a thread; null: nothing is any more. Nothing of it is kept. */
  | { readonly type: "growing"; readonly threadId: string; readonly said: WireGrowing | null }
  /**
   * The calls of the turn that runs in the session of a thread that the page shows, wherever it runs, up to its end; null:
   * none are to be seen any more. Nothing of it is kept.
   */
  | { readonly type: "calls"; readonly threadId: string; readonly turn: WireTurn | null }
  /** Who else can read the session of a thread that the page shows, a sentence for each place; nobody where it is empty. */
  | { readonly type: "readers"; readonly threadId: string; readonly readers: readonly string[] }
  /** The list of sessions that the person may see has changed. */
  | { readonly type: "sessions" }
  /** How the session stands of a thread that the page shows; null where the person may not see it. */
  | { readonly type: "session"; readonly threadId: string; readonly session: WireSessionHere | null }
  /** The page missed too much, or the file was replaced: reload everything, and follow from `eventId`. */
  | { readonly type: "reset"; readonly eventId: string };

/** POST /api/overview/act */
export type WireAction =
  | { readonly do: "drop-delivery" | "cancel-handoff"; readonly id: string }
  | { readonly do: "retry-delivery"; readonly id: string; readonly readBy: string | null }
  | { readonly do: "allow"; readonly code: string; readonly session?: boolean }
  | { readonly do: "answer"; readonly code: string; readonly answer: string }
  | { readonly do: "deny"; readonly code: string }
  | { readonly do: "revoke-pass"; readonly number: number }
  | { readonly do: "hand-off"; readonly id: string; readonly to: string; readonly yes: boolean }
  | { readonly do: "let-in" | "turn-away"; readonly number: number }
  | { readonly do: "add-person"; readonly name: string; readonly role: WireRole }
  | { readonly do: "rename-person"; readonly id: string; readonly name: string }
  | { readonly do: "set-role"; readonly id: string; readonly role: WireRole }
  | { readonly do: "remove-person" | "make-link-code"; readonly id: string }
  | { readonly do: "settle-link"; readonly number: number; readonly isThem: boolean }
  | { readonly do: "unlink"; readonly platform: string; readonly account: string | null; readonly key: string };

/** Of the documents at GET /api/overview/:of, which are those of the commands' `--json`, the part that the page shows. */
export interface StatusAnswer {
  readonly gateways: readonly { readonly pid: number; readonly startedAt: number; readonly configChanged: boolean }[];
  readonly adapters: readonly WireAdapter[];
  readonly sessions: number;
}

export interface WireAdapter {
  readonly name: string;
  readonly health: string;
  readonly detail: string | null;
  readonly standby: boolean;
  readonly home: string | null;
  readonly notice: string | null;
  readonly waiting?: number;
  readonly failed?: number;
  readonly refused?: number;
}

export interface WireSession {
  readonly id: string;
  readonly title: string | null;
  readonly user: string;
  readonly messageCount: number;
  readonly updatedAt: number;
  readonly lastPlace: string;
  readonly openQuestions: number;
}

export interface SessionsAnswer {
  readonly sessions: readonly WireSession[];
  readonly cursor: string | null;
}

export interface WireHandoff {
  readonly handoffId: string;
  readonly sessionId: string;
  readonly title: string | null;
  readonly platform: string;
  readonly state: "pending" | "running" | "completed" | "failed";
  readonly place: string | null;
  readonly link: string | null;
  readonly error: WireError | null;
  readonly requestedAt: number;
  readonly steps: readonly { readonly step: string; readonly at: number }[];
  readonly warnings: readonly string[];
}

export interface WireError {
  readonly message: string;
  readonly hint: string | null;
}

export interface WireApproval {
  readonly code: string;
  readonly kind: "call" | "question" | "limit";
  readonly tool: string;
  readonly summary: string;
  readonly detail: string;
  readonly rules: readonly string[];
  readonly answers: readonly string[];
  readonly sessionId: string;
  readonly title: string | null;
  /** ISO 8601. */
  readonly askedAt: string;
  readonly places: readonly string[];
}

export interface WireHolder {
  readonly role: string;
  readonly pid: number;
  readonly machine: string;
  readonly process: "alive" | "stopped" | "gone" | "unknown";
}

/** What a model said of the work of a session, in short lines. */
export interface WireState {
  readonly task: string | null;
  readonly progress: string | null;
  readonly decisions: readonly string[];
  readonly nextStep: string | null;
  readonly openQuestions: readonly string[];
  readonly files: readonly string[];
  readonly model: string;
  readonly at: number;
}

/** GET /api/overview/session?id= */
export interface SessionAnswer extends WireSession {
  readonly places: readonly { readonly key: string; readonly name: string; readonly usedAt: number }[];
  /** Who besides the operator can read it. */
  readonly readers: readonly { readonly where: string; readonly text: string }[];
  readonly turn: {
    readonly state: string;
    readonly waitsFor: string | null;
    readonly place: string;
    readonly startedAt: number;
  } | null;
  readonly state: WireState | null;
  readonly approvals: readonly WireApproval[];
  /** From the first to the latest. */
  readonly way: readonly { readonly handoffId: string; readonly from: string; readonly to: string }[];
  /** Newest first. */
  readonly handoffs: readonly WireHandoff[];
}

export interface WireDelivery {
  readonly deliveryId: string;
  readonly state: "failed" | "uncertain" | "waiting";
  readonly sessionId: string | null;
  readonly title: string | null;
  readonly place: string;
  readonly text: string;
  readonly createdAt: number;
  readonly attempts: number;
  readonly error: WireError | null;
  /** Who else would read it, to begin a sentence, where it is held back for that; else null. */
  readonly readBy: string | null;
}

export interface WireLane {
  readonly key: string;
  readonly sessionId: string | null;
  readonly title: string | null;
  readonly place: string;
  readonly in: { readonly count: number; readonly oldestAt: number } | null;
  readonly out: { readonly count: number; readonly oldestAt: number } | null;
  readonly holder: WireHolder | null;
  readonly because: string;
  readonly error: WireError | null;
}

export interface WireLease {
  readonly kind: string;
  readonly name: string;
  readonly sessionId: string | null;
  readonly title: string | null;
  readonly holder: WireHolder;
  readonly since: number | null;
  readonly until: number;
  readonly isLive: boolean;
}

/** What requests to models used; `said`: in words. */
export interface WireUsage {
  readonly said: string;
  readonly groups: readonly { readonly key: string | null; readonly name: string; readonly said: string }[];
}

export interface WirePass {
  readonly number: number;
  readonly state: "open" | "taken";
  readonly sessionId: string | null;
  readonly title: string | null;
  /** For whom it is; null for whoever sends it first. */
  readonly for: string | null;
  readonly usedBy: { readonly platform: string; readonly id: string; readonly name: string | null } | null;
  readonly expiresAt: number;
}

export type WireRole = "operator" | "member";

/** What somebody lost by an action. */
export interface WireLost {
  readonly identities: number;
  readonly passes: number;
  readonly turns: number;
}

export interface WirePerson {
  readonly id: string | null;
  readonly name: string;
  readonly role: WireRole | null;
  readonly identities: readonly WireIdentity[];
  readonly sessions: number;
  /** Passes that they gave, or that are for them. */
  readonly passes: number;
  readonly lastSeenAt: number | null;
  readonly rights: readonly {
    readonly grants: string;
    readonly on: string | null;
    readonly words: string;
    readonly takenBackBy: string;
  }[];
}

export interface WireIdentity {
  readonly platform: string;
  readonly account: string | null;
  readonly key: string;
  readonly name: string | null;
  /** By which word it is the person's; null where it is linked to nobody. */
  readonly word: "code" | "terminal" | "pairing" | "home" | null;
}

/** Somebody on a platform, by what they are called there: they chose the name themselves. */
export interface WireAccount {
  readonly platform: string;
  readonly account: string | null;
  readonly id: string;
  readonly name: string | null;
}

/** GET /api/overview/requests */
export interface RequestsAnswer {
  /** Newcomers who want to be let in. */
  readonly requests: readonly (WireAccount & { readonly number: number; readonly createdAt: number })[];
  /** Accounts that sent a link code. */
  readonly claims: readonly WireClaim[];
}

export interface WireClaim {
  readonly number: number;
  /** Whose the account will be. */
  readonly person: { readonly id: string; readonly name: string };
  readonly account: WireAccount | null;
  /** What the link would give them, in sentences. */
  readonly about: readonly string[];
  readonly expiresAt: number;
}

export interface WirePlace {
  /** What one types for it. */
  readonly type: string;
  readonly name: string | null;
  readonly kind: string;
  readonly isShared: boolean;
  readonly readBy: string | null;
  readonly lastUsedAt: number | null;
}
