import { createRedactor, isSecretName, type Redactor } from "../base/redact.ts";
import { contentsFrom } from "./folder-contents.ts";

/** A name, and the text in quotes that it is given: `token: "…"`, `const apiKey = '…'`, `"secret": "…"`. */
const NAMED_TEXT = /([\w$]{1,100})["'`]?\s*[:=]\s*(["'`])((?:\\.|(?!\2)[^\\\n])*)\2/g;

/**
 * Takes out what a config has written out as a secret, in itself and in what it imports. For what it throws: nobody
 * knows its values by then.
 */
export function redactorOfWritten(file: string): Redactor {
  const texts = [...contentsFrom([file]).values()].filter((text) => text !== null);
  return createRedactor(texts.flatMap(writtenSecrets).map(({ value }) => value));
}

/** The secrets that a config, or what it imports, has written out rather than taken from the environment, by name. */
export function namesOfWrittenSecrets(place: string): { readonly file: string; readonly name: string }[] {
  return [...contentsFrom([place])].flatMap(([file, text]) =>
    writtenSecrets(text ?? "")
      .filter(({ value }) => value !== "" && !value.includes("${"))
      .map(({ name }) => ({ file, name })),
  );
}

function writtenSecrets(text: string): { readonly name: string; readonly value: string }[] {
  return [...text.matchAll(NAMED_TEXT)].flatMap(([, name = "", , value = ""]) =>
    isSecretName(name) ? [{ name, value }] : [],
  );
}
