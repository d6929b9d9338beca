import { useEffect, useState } from "preact/hooks";

/** The time now; draws the component anew when `next` has passed. Milliseconds since 1970. */
export function useMoment(next: number): number {
  const [, redraw] = useState(0);
  const now = Date.now();
  useEffect(() => {
    if (next <= now) return;
    const timer = setTimeout(() => redraw((count) => count + 1), next - now + 10);
    return () => clearTimeout(timer);
  }, [next]);
  return now;
}
