import { expect, test } from "vitest";
import { createConcealer, createRedactor, isSecretName, redactDeep, secretsIn } from "./redact.ts";

const TOKEN = "s3cr3t/with+signs";

test("a secret that is known is taken out, as it is written, in an address and in JSON", () => {
  const redact = createRedactor([TOKEN, 'quo"ted-secret']);
  expect(redact(`plain ${TOKEN}, url https://x/?t=${encodeURIComponent(TOKEN)}`)).toBe(
    "plain [redacted], url https://x/?t=[redacted]",
  );
  expect(redact(JSON.stringify({ a: 'quo"ted-secret' }))).toBe('{"a":"[redacted]"}');
});

test("of two secrets that begin alike nothing of the longer one is left", () => {
  expect(createRedactor(["abcdefgh", "abcdefgh-ijkl"])("x abcdefgh-ijkl y")).toBe("x [redacted] y");
});

test("of two secrets that overlap nothing of either is left", () => {
  const { conceal, stream } = createConcealer(["alpha-secret-11", "secret-11-bravo99"]);
  expect(conceal("x alpha-secret-11-bravo99 y")).toBe("x [redacted] y");
  const streamed = stream();
  const shown = [..."x alpha-secret-11-bravo99 y"].map((letter) => streamed.push(letter)).join("") + streamed.end();
  // The few characters before it is known that a secret begins.
  expect(shown.replaceAll("[redacted]", "")).toBe("x alp y");
});

test("a short value is no secret, so that words survive", () => {
  expect(createRedactor(["test", ""])("a test of words")).toBe("a test of words");
});

test.each([
  ["Authorization: Bearer abc.def-ghi123", "Authorization: Bearer [redacted]"],
  ["key sk-ant-api03-AAAABBBBCCCCDDDD ends", "key [redacted] ends"],
  ["https://api.example/bot123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw1/send", "https://api.example/[redacted]/send"],
  ["xoxb-1234567890-abcdef", "[redacted]"],
  ["jwt eyJhbGciOiJI.eyJzdWIiOiIx.abc_def", "jwt [redacted]"],
  ["postgres://me:hunter2@db/x", "postgres://me:[redacted]@db/x"],
])("what looks like a credential is taken out though nobody named it: %s", (text, safe) => {
  expect(createRedactor([])(text)).toBe(safe);
});

test("a session key and an ordinary address stay readable", () => {
  const text = "agent:main:web:dm:42:t=7 at https://example.org:8080/a/b?c=d";
  expect(createRedactor([])(text)).toBe(text);
});

test("words behind “basic” and “bearer” that are no credentials stay", () => {
  const text = "a basic understanding of JavaScript, the basic JavaScript types, and a bearer certificate";
  expect(createRedactor([])(text)).toBe(text);
  expect(createRedactor([])("Authorization: Basic dXNlcjpwYXNzd29yZA==")).toBe("Authorization: Basic [redacted]");
});

test.each(["-eyJaaaaaaaa", "Bearer ", " ", "://a:", "1", "sk-", "eyJaaaaaaaa."])(
  "a text that is made of nothing but “%s” costs no more than its length",
  (part) => {
    const redact = createRedactor([]);
    const text = part.repeat(300_000 / part.length);
    const startedAt = performance.now();
    redact(text);
    // By the square of the length it takes minutes.
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  },
);

test("names tell secrets", () => {
  for (const name of ["BOT_TOKEN", "apiKey", "API_KEY", "password", "clientSecret", "authorization", "botToken"]) {
    expect(isSecretName(name), name).toBe(true);
  }
  for (const name of ["chatId", "monkey", "HOME", "keyboard", "tokenizer", "port"]) {
    expect(isSecretName(name), name).toBe(false);
  }
});

test("secrets are found at any depth, and below a name that is one", () => {
  const settings = { a: [{ token: "t-1" }], credentials: { login: "l-1" }, port: 1, name: "n" };
  expect(secretsIn(settings)).toEqual(["t-1", "l-1"]);
});

test("an error goes into a log with stack and cause, and without the secret", () => {
  const redact = createRedactor([TOKEN]);
  const error = new Error(`refused ${TOKEN}`, { cause: new Error(`inner ${TOKEN}`) });
  Object.assign(error, { code: 401, request: { token: "short", key: "agent:main" } });
  const plain = redactDeep({ error }, redact);
  const text = JSON.stringify(plain);
  expect(text).not.toContain("s3cr3t");
  expect(plain).toMatchObject({
    error: {
      message: "refused [redacted]",
      cause: { message: "inner [redacted]" },
      code: 401,
      request: { token: "[redacted]", key: "agent:main" },
    },
  });
});

test("a ring of objects ends", () => {
  const ring: Record<string, unknown> = {};
  ring.self = ring;
  expect(redactDeep(ring, createRedactor([]))).toEqual({ self: "[circular]" });
});
