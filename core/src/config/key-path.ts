/** A key of the config for people: `plugins[0].homeChannel.chatId`. */
export function keyPath(path: readonly unknown[]): string {
  const text = path
    .map((step) => (typeof step === "number" ? `[${step}]` : `.${String(step)}`))
    .join("")
    .replace(/^\./, "")
    // In JSON and YAML a plugin's options are the second in a list with its name.
    .replace(/^(plugins\[\d+\])\[1\]/, "$1");
  return text || "the config";
}

/** What stands at `path` in `value`. */
export function valueAt(value: unknown, path: readonly unknown[]): unknown {
  return path.reduce<unknown>(
    (inner, step) =>
      typeof inner === "object" && inner !== null ? Reflect.get(inner, step as PropertyKey) : undefined,
    value,
  );
}
