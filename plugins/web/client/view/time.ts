const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const weekday = new Intl.DateTimeFormat(undefined, { weekday: "short" });
const day = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });
const longDay = new Intl.DateTimeFormat(undefined, { weekday: "long", day: "numeric", month: "long" });

const WEEK_MS = 6 * 24 * 60 * 60_000;

export function timeOfDay(at: number): string {
  return clock.format(at);
}

/** As short as it says enough: the time today, the weekday this week, the date before that. */
export function shortTime(at: number): string {
  if (isSameDay(at, Date.now())) return clock.format(at);
  return (Date.now() - at < WEEK_MS ? weekday : day).format(at);
}

export function dayName(at: number): string {
  const now = Date.now();
  if (isSameDay(at, now)) return "Today";
  return isSameDay(at, now - 24 * 60 * 60_000) ? "Yesterday" : longDay.format(at);
}

export function isSameDay(a: number, b: number): boolean {
  return new Date(a).toDateString() === new Date(b).toDateString();
}
