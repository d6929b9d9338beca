import type { PlatformAdapter } from "../adapter/adapter.ts";
import type { Conversation, HomeChannel } from "../adapter/conversation.ts";
import type { HandoffThread } from "../adapter/message.ts";
import type { Clock } from "../base/clock.ts";
import { untilAborted } from "../base/deadline.ts";
import { HermesError, reasonOf } from "../base/errors.ts";
import type { OpenedThreads } from "./opened-threads.ts";

/** Where a handoff lands. */
export interface Landing {
  readonly conversation: Conversation;
  readonly link: string | null;
  /** Why it is the home channel itself; null for a thread. */
  readonly flatBecause: string | null;
  readonly warning: string | null;
}

export interface OpenThreadRequest {
  readonly adapter: PlatformAdapter;
  readonly clock: Clock;
  readonly home: HomeChannel;
  readonly name: string;
  readonly mark: string;
  /** A thread was asked for before, by a process that did not live to record what came of it. */
  readonly wasAskedFor: boolean;
  /** Takes the thread until it is recorded. */
  readonly opened: OpenedThreads;
  readonly signal: AbortSignal;
}

/** Timeout in milliseconds for opening a thread. */
const THREAD_DEADLINE_MS = 30_000;

/**
 * Opens a thread in the home channel, or returns the home channel itself where none can be opened. `parent` is the home
 * channel as the platform has it. One attempt: a platform that refuses is not asked again. Throws
 * HANDOFF_THREAD_REQUIRED or HANDOFF_HOME_HOLDS_THREADS where only a thread will do.
 */
export async function openThread(request: OpenThreadRequest, parent: Conversation): Promise<Landing> {
  const { adapter, home } = request;
  if (parent.kind !== "dm" && home.shared !== true) {
    throw new HermesError("CONFIG_HOME_CHANNEL_NOT_SHARED", {
      platform: adapter.platform,
      home: home.name ?? home.chatId,
    });
  }
  // A home that is a thread itself is used as it is.
  if (parent.threadId) return { conversation: parent, link: null, flatBecause: null, warning: null };

  const { thread, reason, warning } = await tryThread(request, parent);
  if (thread) {
    return { conversation: thread.conversation, link: thread.link ?? null, flatBecause: null, warning };
  }
  const { platform } = adapter;
  if (!adapter.takesMessages(parent)) throw new HermesError("HANDOFF_HOME_HOLDS_THREADS", { platform, reason });
  if (home.requireThread) throw new HermesError("HANDOFF_THREAD_REQUIRED", { platform, reason });
  return { conversation: parent, link: null, flatBecause: reason, warning };
}

/** Asks the platform for a thread, once; or finds the one that was asked for before. */
export async function tryThread(
  { adapter, clock, home, name, mark, wasAskedFor, opened, signal }: OpenThreadRequest,
  parent: Pick<Conversation, "chatId">,
): Promise<{ thread: HandoffThread | null; reason: string; warning: string | null }> {
  const isThere = opened.get(mark);
  if (isThere !== null) return { thread: isThere, reason: "", warning: null };
  const deadline = new AbortController();
  using _timer = clock.setTimer(THREAD_DEADLINE_MS, () => deadline.abort(new Error("it took too long")));
  const limited = AbortSignal.any([signal, deadline.signal]);
  let warning: string | null = null;
  try {
    if (wasAskedFor && adapter.capabilities.threads) {
      const found = await adapter.findThread?.(home, mark, limited);
      if (found) return { thread: found, reason: "", warning: null };
      if (!adapter.findThread && adapter.capabilities.threads === true)
        warning = "A process died while it opened a thread; a second, empty one may exist.";
    }
    const opening = adapter.createHandoffThread(parent.chatId, name, { home, mark, signal: limited });
    // An adapter that does not look at its signal must not hold up a handoff.
    const thread = await untilAborted(opening, limited);
    if (thread !== null) opened.note(mark, thread);
    return { thread, reason: `${adapter.platform} has no threads there`, warning };
  } catch (error) {
    if (signal.aborted) throw error;
    return { thread: null, reason: reasonOf(error), warning };
  }
}
