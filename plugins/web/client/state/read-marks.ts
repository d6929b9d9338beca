import { useEffect, useState } from "preact/hooks";
import { markRead } from "./api.ts";
import type { Log } from "./store.ts";

/** Tells the server what was seen: while the thread is on the screen, its end in sight and the page looked at. */
export function useReadMark(threadId: string, log: Log, isEndInSight: boolean, unread: number): void {
  const [isLookedAt, setIsLookedAt] = useState(() => document.visibilityState === "visible");
  useEffect(() => {
    const look = () => setIsLookedAt(document.visibilityState === "visible");
    document.addEventListener("visibilitychange", look);
    return () => document.removeEventListener("visibilitychange", look);
  }, []);
  const last = log.messages.at(-1)?.seq;
  useEffect(() => {
    if (!isLookedAt || !isEndInSight || !log.isLoaded || unread === 0 || last === undefined) return;
    // A mark that got lost is set with the next message.
    markRead(threadId, last).catch(() => {});
  }, [threadId, last, isLookedAt, isEndInSight, unread, log.isLoaded]);
}
