import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Log, Outgoing, State } from "../state/store.ts";

/** Pixels from the end within which new messages keep the end in sight. */
const NEAR_END = 80;

/** Keeps the end in sight while it is, and the place where one reads when it is not. */
export function useScroll(
  scroller: { readonly current: HTMLElement | null },
  log: Log,
  outgoing: readonly Outgoing[],
  { typing, pressed, turns, growing }: State,
) {
  const [isAtEnd, setIsAtEnd] = useState(true);
  const drawn = useRef({ first: 0, height: 0, outgoing: 0 });

  const toEnd = () => {
    scroller.current?.scrollTo({ top: scroller.current.scrollHeight });
    setIsAtEnd(true);
  };
  const onScroll = () => {
    const element = scroller.current;
    if (element) setIsAtEnd(element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_END);
  };

  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const before = drawn.current;
    const first = log.messages[0]?.seq ?? 0;
    drawn.current = { first, height: element.scrollHeight, outgoing: outgoing.length };
    if (isAtEnd || outgoing.length > before.outgoing) toEnd();
    // Earlier messages were put above those that one reads.
    else if (first < before.first) element.scrollTop += element.scrollHeight - before.height;
  }, [log, outgoing.length, typing, pressed, turns, growing, isAtEnd]);

  // Ended before anything is measured: the button that comes below the messages makes them lower, and is no reason to go.
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element || !isAtEnd) return;
    // The keyboard opens, the composer grows: the end is to stay in sight.
    const observer = new ResizeObserver(() => element.scrollTo({ top: element.scrollHeight }));
    observer.observe(element);
    return () => observer.disconnect();
  }, [isAtEnd]);

  return { isAtEnd, toEnd, onScroll };
}
