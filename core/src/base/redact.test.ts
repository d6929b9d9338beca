import { expect, test } from "vitest";
import { createConcealer, createRedactor, isSecretName, redactDeep, secretsIn } from "./redact.ts";

const TOKEN = "s3cr3t/with+signs";

test("a known secret is redacted as written, in a URL and in JSON", () => {
  const redact = createRedactor([TOKEN, 'quo"ted-secret']);
  expect(redact(`plain ${TOKEN}, url https://x/?t=${encodeURIComponent(TOKEN)}`)).toBe(
    "plain [redacted], url https://x/?t=[redacted]",
  );
  expect(redact(JSON.stringify({ a: 'quo"ted-secret' }))).toBe('{"a":"[redacted]"}');
});

test.each([
  ["a URL that another program encoded", "t=s3cr3t%2fwith%2bsigns"],
  ["JSON as PHP writes it", '"s3cr3t\\/with+signs"'],
  ["JSON within JSON", JSON.stringify(JSON.stringify({ a: 'quo"ted-secret' }))],
  ["Markdown", "a s\\_cret\\_key b"],
  ["HTML", "a amp&amp;ersand b"],
  ["base64", Buffer.from(TOKEN).toString("base64")],
  ["base64 after a user name", Buffer.from(`bot:${TOKEN}`).toString("base64")],
  ["base64 between other text", Buffer.from(`{"t":"${TOKEN}"}`).toString("base64url")],
])("a known secret is redacted in %s", (_, text) => {
  const secrets = [TOKEN, 'quo"ted-secret', "s_cret_key", "amp&ersand"];
  const safe = createRedactor(secrets)(text);
  expect(safe).toContain("[redacted]");
  expect(createRedactor(secrets)(safe)).toBe(safe);
  for (const secret of secrets) {
    expect(safe.replaceAll("\\", "")).not.toContain(secret.slice(-6));
    expect(Buffer.from(safe.replaceAll("[redacted]", ""), "base64").toString()).not.toContain(secret.slice(1, 6));
  }
});

test("redacts a secret with invisible characters in it, and keeps them elsewhere", () => {
  const redact = createRedactor([TOKEN]);
  const hidden = (text: string) => [...text].join("\u200b");
  expect(redact(`my ${hidden(TOKEN)} here`)).toBe("my [redacted] here");
  expect(redact(`my sk-ant-api03-\u2060AAAABBBBCCCCDDDD`)).toBe("my [redacted]");
  expect(redact("a soft\u00adhyphen")).toBe("a soft\u00adhyphen");
});

test("redacts the longer of two secrets that begin alike", () => {
  expect(createRedactor(["abcdefgh", "abcdefgh-ijkl"])("x abcdefgh-ijkl y")).toBe("x [redacted] y");
});

test("redacts both of two secrets that overlap", () => {
  const { conceal, stream } = createConcealer(["alpha-secret-11", "secret-11-bravo99"]);
  expect(conceal("x alpha-secret-11-bravo99 y")).toBe("x [redacted] y");
  const streamed = stream();
  const shown = [..."x alpha-secret-11-bravo99 y"].map((letter) => streamed.push(letter)).join("") + streamed.end();
  // The first characters are shown before the stream can tell that a secret begins.
  expect(shown.replaceAll("[redacted]", "")).toBe("x alp y");
});

test("a short value does not count as a secret, so that ordinary words survive", () => {
  expect(createRedactor(["test", ""])("a test of words")).toBe("a test of words");
});

test.each([
  ["Authorization: Bearer abc.def-ghi123", "Authorization: Bearer [redacted]"],
  ["key sk-ant-api03-AAAABBBBCCCCDDDD ends", "key [redacted] ends"],
  ["https://api.example/bot123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw1/send", "https://api.example/[redacted]/send"],
  ["xoxb-1234567890-abcdef", "[redacted]"],
  ["AWS AKIAIOSFODNN7EXAMPLE!", "AWS [redacted]!"],
  [`git github_pat_${"11ABCDEFG0".repeat(4)}_x`, "git [redacted]"],
  [`lab glpat-${"aB3".repeat(7)}`, "lab [redacted]"],
  [`npm npm_${"aB3".repeat(12)}`, "npm [redacted]"],
  [`hub hf_${"aBc".repeat(11)}`, "hub [redacted]"],
  [`pay sk_live_${"aB3".repeat(8)}`, "pay [redacted]"],
  [`map AIza${"aB3_-".repeat(7)}`, "map [redacted]"],
  [`meta EAA${"aB3".repeat(20)}`, "meta [redacted]"],
  [`matrix syt_aGVybWVz_${"aB".repeat(10)}_1a2b3c`, "matrix [redacted]"],
  [`discord M${"TA".repeat(12)}.Gh1jKl.${"aB3".repeat(10)}`, "discord [redacted]"],
  ["-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjE\n-----END OPENSSH PRIVATE KEY-----", "[redacted]"],
  ["jwt eyJhbGciOiJI.eyJzdWIiOiIx.abc_def", "jwt [redacted]"],
  ["postgres://me:hunter2@db/x", "postgres://me:[redacted]@db/x"],
])("text that looks like a credential is redacted: %s", (text, safe) => {
  expect(createRedactor([])(text)).toBe(safe);
});

test("a session key and an ordinary URL stay readable", () => {
  const text = "agent:main:web:dm:42:t=7 at https://example.org:8080/a/b?c=d";
  expect(createRedactor([])(text)).toBe(text);
});

test("ordinary words after “basic” and “bearer” stay", () => {
  const text = "a basic understanding of JavaScript, the basic JavaScript types, and a bearer certificate";
  expect(createRedactor([])(text)).toBe(text);
  expect(createRedactor([])("Authorization: Basic dXNlcjpwYXNzd29yZA==")).toBe("Authorization: Basic [redacted]");
});

test.each(["-eyJaaaaaaaa", "Bearer ", " ", "://a:", "1", "sk-", "eyJaaaaaaaa."])(
  "redacting a text that only repeats “%s” takes linear time",
  (part) => {
    const redact = createRedactor([]);
    const text = part.repeat(300_000 / part.length);
    const startedAt = performance.now();
    redact(text);
    // With quadratic time it takes minutes.
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  },
);

test("secret-looking names are recognised", () => {
  const SHORT = ["SMTP_PASS", "MYSQL_PWD", "GITHUB_PAT", "dbPass"];
  for (const name of [
    "BOT_TOKEN",
    "apiKey",
    "API_KEY",
    "password",
    "clientSecret",
    "authorization",
    "botToken",
    ...SHORT,
  ]) {
    expect(isSecretName(name), name).toBe(true);
  }
  for (const name of ["chatId", "monkey", "HOME", "keyboard", "tokenizer", "port", "PWD", "OLDPWD", "pass", "path"]) {
    expect(isSecretName(name), name).toBe(false);
  }
});

test("secrets in settings are found at any depth, and below a secret-looking name", () => {
  const settings = { a: [{ token: "t-1" }], credentials: { login: "l-1" }, port: 1, name: "n" };
  expect(secretsIn(settings)).toEqual(["t-1", "l-1"]);
});

test("a logged error keeps its stack and cause, but loses secrets", () => {
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

test("circular references are handled", () => {
  const ring: Record<string, unknown> = {};
  ring.self = ring;
  expect(redactDeep(ring, createRedactor([]))).toEqual({ self: "[circular]" });
});
