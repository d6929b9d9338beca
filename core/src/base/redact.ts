import { withoutHidden } from "./hidden-text.ts";
import { madeOfSecrets } from "./known-secrets.ts";
import { mapped } from "./mapped.ts";
import { SecretFinder, type Span } from "./secret-finder.ts";
import { SeenText } from "./seen-text.ts";
import { type Token, token } from "./tokens.ts";

/** Redacts secrets in a text that leaves the process: a log line, a stored error, an answer. */
export type Redactor = (text: string) => string;

export const REDACTOR: Token<Redactor> = token("redactor");

/** The text that replaces a secret. */
export const REDACTED = "[redacted]";

const PRIVATE_KEY =
  /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[A-Za-z0-9+/=\s\\]{16,}(?:-----END [A-Z ]{0,30}PRIVATE KEY-----)?/g;

/**
 * Patterns of well-known credentials. No match of a pattern can start inside another, so that matching takes linear time
 * even in a hostile text.
 */
const PATTERNS: readonly RegExp[] = [
  /\bsk-[\w-]{16,}/g,
  /\b(?:bot)?\d{6,}:[\w-]{30,}/g,
  /\bxox[a-z]-[\w-]{8,}/g,
  /\bxapp-[\w-]{8,}/g,
  /\bgh[opsur]_\w{20,}/g,
  /\bgithub_pat_\w{20,}/g,
  /\bglpat-[\w-]{16,}/g,
  /\b(?:npm|hf)_[A-Za-z0-9]{30,}/g,
  /\b[sr]k_(?:live|test)_[A-Za-z0-9]{16,}/g,
  /\bA(?:KIA|SIA)[A-Z0-9]{16}\b/g,
  /\bAIza[\w-]{35}/g,
  /\bEAA[A-Za-z0-9]{40,}/g,
  /\bsyt_[\w-]{20,}/g,
  // A bot's token: its id in base64, a time, a signature.
  /(?<![\w-])[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,}/g,
  /(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g,
  PRIVATE_KEY,
];

/** The password in a URL: https://user:password@host */
const PASSWORD_OF_ADDRESS = /(:\/\/[^\s/:@]*:)[^\s/@]+(?=@)/g;

/** `Authorization: Bearer …`. Both words are ordinary English too, so the text after them must look like a credential. */
const AUTHORIZATION = /\b(Bearer|Basic)(\s+)([\w.~+/=-]{8,})/gi;

function isNoWord(value: string): boolean {
  return /\d|=$/.test(value) || (value.match(/[a-z][A-Z]/g)?.length ?? 0) > 2;
}

/** Makes a redactor of the given secrets and of everything that looks like one. A `Set` of secrets may grow. */
export function createRedactor(secrets: Iterable<string>): Redactor {
  const { conceal } = createConcealer(secrets);
  return seeingThroughHidden((text) => withoutLookalikes(conceal(text)));
}

/**
 * Makes `redact` find secrets with hidden characters inside them, as copying from a web page may insert. Where a text is
 * shown, hidden characters are removed and the secret would be whole. A text with such a secret loses them here.
 */
export function seeingThroughHidden(redact: Redactor): Redactor {
  return (text) => {
    const safe = redact(text);
    const seen = withoutHidden(safe);
    const again = seen === safe ? seen : redact(seen);
    return again === seen ? safe : again;
  };
}

/** What every pattern above contains, so that a text without any of it is scanned only once. */
const MAY_LOOK_LIKE_ONE =
  /[sr]k[-_]|\d:|xox|xapp-|gh[opsur]_|github_pat_|glpat-|npm_|hf_|A[KS]IA|AIza|EAA|syt_|\.[\w-]{6}\.|eyJ|-----BEGIN|:\/\/|bearer|basic/i;

/** Redacts everything in `text` that looks like a secret. */
export function withoutLookalikes(text: string): string {
  if (!MAY_LOOK_LIKE_ONE.test(text)) return text;
  let safe = text.replaceAll(AUTHORIZATION, (found, word: string, space: string, value: string) =>
    isNoWord(value) ? `${word}${space}${REDACTED}` : found,
  );
  for (const pattern of PATTERNS) safe = safe.replaceAll(pattern, REDACTED);
  return safe.replaceAll(PASSWORD_OF_ADDRESS, `$1${REDACTED}`);
}

/**
 * Redacts the known secrets of this Hermes in what people and the agent say. Text that only looks like a secret stays:
 * it may be just what they talk about.
 */
export interface Concealer {
  conceal(text: string): string;
  /** Conceals in a text that comes piece by piece. */
  stream(): ConcealingStream;
}

interface ConcealingStream {
  /** Takes the next piece; returns what can be shown now, after what was shown before. */
  push(delta: string): string;
  /** Returns the rest. */
  end(): string;
}

export const CONCEALER: Token<Concealer> = token("concealer");

/** Makes a concealer of the given secrets. A `Set` of them may grow. */
export function createConcealer(secrets: Iterable<string>): Concealer {
  const finder = madeOfSecrets(secrets, (known) => new SecretFinder(known));
  return {
    conceal: seeingThroughHidden((text) => concealIn(text, finder())),
    stream: () => concealingStream(finder()),
  };
}

function concealIn(text: string, finder: SecretFinder): string {
  let safe = "";
  let at = 0;
  for (const [start, end] of finder.spansIn(text)) {
    safe += text.slice(at, start) + REDACTED;
    at = end;
  }
  return at === 0 ? text : safe + text.slice(at);
}

function concealingStream(finder: SecretFinder): ConcealingStream {
  // The last part of the text. `shown` characters of it were shown; they stay here because a secret may begin in them.
  const said = new SeenText();
  let shown = 0;
  // Up to where it was looked through, and how long it has to be for the next look.
  let looked = 0;
  let next = 0;

  const show = (spans: readonly Span[], beginning: number): string => {
    let visible = "";
    let wholeUntil = 0;
    for (const [start, end] of spans) {
      wholeUntil = end;
      if (end <= shown) continue;
      visible += said.slice(shown, Math.max(shown, start)) + REDACTED;
      shown = end;
    }
    const settled = Math.max(shown, wholeUntil, beginning);
    visible += said.slice(shown, settled);
    shown = settled;
    return visible;
  };

  const forget = () => {
    const length = shown - finder.reach;
    // Not with each piece: it copies what stays.
    if (length <= finder.reach) return;
    said.forget(length);
    shown -= length;
    looked -= length;
    next -= length;
  };

  return {
    push(delta) {
      said.add(delta);
      const { seen } = said;
      if (seen.length < next) return "";
      const quickly = finder.beginningBehind(seen, looked);
      const visible = show(quickly === null ? finder.spansIn(seen) : [], quickly ?? finder.beginningIn(seen));
      looked = seen.length;
      // What is a secret so far is read anew only once it has grown by a part of itself.
      if (quickly === null) next = seen.length + ((seen.length - shown) >> 3);
      forget();
      return visible;
    },
    end() {
      said.end();
      return show(finder.spansIn(said.seen), Number.POSITIVE_INFINITY);
    },
  };
}

/** What no shell takes for more than a part of a word. */
const PLAIN_WORD = /^[\w.~%+=:,-]*$/;

/**
 * Whether all that {@link withoutLookalikes} hides in `text` is within plain words. Other patterns hide whole commands from
 * whoever reads them: a password of `$(…)`, a private key of several lines.
 */
export function hidesOnlyWords(text: string): boolean {
  if (text.search(PRIVATE_KEY) >= 0) return false;
  return [...text.matchAll(PASSWORD_OF_ADDRESS)].every(([found, before = ""]) =>
    PLAIN_WORD.test(found.slice(before.length)),
  );
}

/** Whether a variable or an option of this name holds a secret: `BOT_TOKEN`, `apiKey`, `password` … */
export function isSecretName(name: string): boolean {
  const words = name
    .replaceAll(/([a-z\d])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z]+/);
  // Alone, `pwd` is a shell's folder, and `pass` is what a test does.
  if (words.length > 1 && !/^old_?pwd$/i.test(name) && SHORT_SECRET_WORD.test(words.at(-1) ?? "")) return true;
  return words.some((word) => SECRET_WORD.test(word));
}

/** At the end of a longer name: `SMTP_PASS`, `MYSQL_PWD`, `GITHUB_PAT`. */
const SHORT_SECRET_WORD = /^(?:pass|pwd|pat)$/;

const SECRET_WORD = /^(?:api)?keys?$|tokens?$|secrets?$|passw(?:or)?d$|passphrase$|authori[sz]ation$|credentials?$/;

/** Names that look secret but, in a log, identify a conversation or an attempt; without them the log is useless. */
const NAMES_OF_KEYS = /^(?:session)?key$/i;

/** Finds the values in `settings`, at any depth, whose own name or a parent's name is that of a secret. */
export function secretsIn(settings: unknown): string[] {
  const found: string[] = [];
  const seen = new Set<object>();
  const look = (value: unknown, isSecret: boolean): void => {
    if (typeof value === "string" && isSecret) found.push(value);
    if (typeof value !== "object" || value === null || seen.has(value)) return;
    seen.add(value);
    for (const [name, inner] of Object.entries(value)) look(inner, isSecret || isSecretName(name));
  };
  look(settings, false);
  return found;
}

/** Redacts each string in `value`, at any depth; returns `value` itself when it contains no secret. */
export function redactTexts(value: unknown, redact: Redactor): unknown {
  return typeof value === "string" ? redact(value) : mapped(value, (inner) => redactTexts(inner, redact));
}

/** Whether a text that is hidden whole, for the name of its field, is only a word: whoever reads on misses nothing else. */
export function isOnlyWord(text: string): boolean {
  return PLAIN_WORD.test(text);
}

/**
 * Copies `value` as plain data without secrets. Errors become objects with their message, frames and cause. A text whose
 * field has the name of a secret goes through `redactNamed`.
 */
export function redactDeep(value: unknown, redact: Redactor, redactNamed: Redactor = () => REDACTED): unknown {
  const parents: object[] = [];
  const visit = (current: unknown): unknown => {
    if (typeof current === "string") return redact(current);
    if (typeof current === "bigint" || typeof current === "symbol" || typeof current === "function") {
      return redact(String(current));
    }
    if (typeof current !== "object" || current === null) return current;
    if (parents.includes(current)) return "[circular]";
    if (current instanceof Date) return current.toJSON();
    if (ArrayBuffer.isView(current)) return `[${current.byteLength} bytes]`;
    parents.push(current);
    try {
      if (Array.isArray(current)) return current.map(visit);
      return Object.fromEntries(fieldsOf(current).map(([name, inner]) => [name, visitNamed(name, inner)]));
    } finally {
      parents.pop();
    }
  };
  const visitNamed = (name: string, inner: unknown) =>
    typeof inner === "string" && isSecretName(name) && !NAMES_OF_KEYS.test(name) ? redactNamed(inner) : visit(inner);
  return visit(value);
}

function fieldsOf(value: object): [string, unknown][] {
  if (!(value instanceof Error)) return Object.entries(value);
  const { name, message, stack, cause } = value;
  const fields: [string, unknown][] = [
    ["name", name],
    ["message", message],
    ["stack", stack === undefined ? stack : withoutMessage(stack, message)],
  ];
  if (cause !== undefined) fields.push(["cause", cause]);
  return [...fields, ...Object.entries(value).filter(([field]) => !fields.some(([taken]) => taken === field))];
}

/** The frames of a stack: the error's message, with which it begins, stands beside it already. */
function withoutMessage(stack: string, message: string): string {
  const at = stack.indexOf(message);
  return at < 0 ? stack : stack.slice(at + message.length).trimStart();
}
