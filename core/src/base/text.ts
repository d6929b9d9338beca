/** Formats an age for people: `3 s`, `5 min`, `2 h`, `4 days`. */
export function ageText(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.round(minutes / 60);
  if (hours < 48) return `${hours} h`;
  return `${Math.round(hours / 24)} days`;
}

/** `1 message`, `2 messages`. */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

/** Drops the full stop, so that the sentence can be part of another one. */
export function withoutFullStop(sentence: string): string {
  return sentence.replace(/\.$/, "");
}

/** `12 bytes`, `3.4 MB`: with one digit behind the point from a thousand on, and binary units. */
export function sizeText(bytes: number): string {
  if (bytes < 1024) return count(bytes, "byte");
  const units = ["KB", "MB", "GB", "TB"];
  const power = Math.min(units.length, Math.floor(Math.log2(bytes) / 10));
  return `${(bytes / 1024 ** power).toFixed(1)} ${units[power - 1]}`;
}
