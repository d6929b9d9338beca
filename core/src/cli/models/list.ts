import { priceText } from "../../agent/describe-model.ts";
import { MODEL_CATALOGUE, type ModelCatalogue } from "../../agent/model-catalogue.ts";
import type { ModelFacts } from "../../agent/model-facts.ts";
import { configuredProviders, type Offer, offersOf } from "../../agent/offered-models.ts";
import { LOCAL_SERVERS } from "../../agent/provider-access.ts";
import { count } from "../../base/text.ts";
import { withoutSecrets } from "../../base/without-secrets.ts";
import { escapeMarkdown } from "../../markdown/escape-markdown.ts";
import type { Output } from "../../terminal/output.ts";
import { renderOn } from "../../terminal/render-markdown.ts";
import { styled } from "../../terminal/styled.ts";
import type { CliContext } from "../context.ts";

/** As many models of a provider are shown to a person who asks for nothing in particular. */
const MOST_ROWS = 40;

/** A model as it is listed. */
interface Row extends ModelFacts {
  /** `<provider>/<model>` */
  readonly model: string;
  readonly inUse: boolean;
}

interface Listed {
  readonly offer: Offer;
  readonly rows: readonly Row[];
}

/** `hermes models`. Returns 1 when the one provider that was asked for did not answer. */
export async function listOffers(
  { io, output, withHost }: CliContext,
  ...words: readonly [provider?: string, text?: string]
): Promise<number> {
  return withHost(async ({ config, clock, container, redact }) => {
    const places = { providers: config.providers, environment: { ...config.variables, ...io.environment } };
    const all = configuredProviders(places);
    const { asked, text } = readWords(
      words.filter((word) => typeof word === "string"),
      [...all, ...LOCAL_SERVERS.keys()],
    );
    const stop = new AbortController();
    using _interrupt = io.onSignal("SIGINT", () => stop.abort());
    const names = asked === null ? all : [asked];
    const asking = await offersOf(names, places, { clock, signal: stop.signal });
    // A provider's library may quote the key that it was given.
    const offers = asking.map((offer) => ({ ...offer, error: offer.error && withoutSecrets(offer.error, redact) }));
    const inUse = config.model;
    // Servers of this machine that nobody has started are no news, unless one is meant.
    const told = offers.filter(
      ({ provider, error }) =>
        error === null || provider === asked || !LOCAL_SERVERS.has(provider) || inUse?.startsWith(`${provider}/`),
    );
    const catalogue = container.resolve(MODEL_CATALOGUE);
    const listed = told.map((offer): Listed => ({ offer, rows: rowsOf(offer, { text, inUse, catalogue }) }));
    output.document(documentOf(output, listed, inUse));
    if (!output.json) print(output, listed, { inUse, text, isWhole: asked !== null || text !== null });
    return asked !== null && offers.some(({ error }) => error !== null) ? 1 : 0;
  });
}

/** The first word is a provider where there is one of that name; the others are a part of the models' names. */
function readWords(words: readonly string[], providers: readonly string[]) {
  const [first = ""] = words;
  const asked = providers.includes(first) ? first : null;
  const text = words
    .slice(asked === null ? 0 : 1)
    .join(" ")
    .toLowerCase();
  return { asked, text: text === "" ? null : text };
}

function rowsOf(
  { provider, models }: Offer,
  {
    text,
    inUse,
    catalogue,
  }: { readonly text: string | null; readonly inUse: string | null; readonly catalogue: ModelCatalogue },
): readonly Row[] {
  const rows = (models ?? [])
    .filter(({ id, talks }) => talks && (text === null || id.toLowerCase().includes(text)))
    .map(({ id, facts }): Row => {
      const model = `${provider}/${id}`;
      return { model, inUse: model === inUse, ...catalogue.factsOf(model, facts) };
    });
  // What is known is what people look for first.
  const rank = (row: Row) => (row.inUse ? 0 : row.window === null ? 2 : 1);
  return rows.toSorted((a, b) => rank(a) - rank(b));
}

function documentOf(output: Output, listed: readonly Listed[], inUse: string | null): object {
  const providers = listed.map(({ offer: { provider, error }, rows }) => ({
    provider,
    error: error && output.shown(error),
    models: rows,
  }));
  return { inUse, providers };
}

function print(
  output: Output,
  listed: readonly Listed[],
  { inUse, text, isWhole }: { readonly inUse: string | null; readonly text: string | null; readonly isWhole: boolean },
): void {
  if (listed.length === 0) {
    output.line("No provider is set up: `hermes init` asks for one, or set a key such as ANTHROPIC_API_KEY.");
    return;
  }
  for (const { offer, rows } of listed) {
    output.line(output.colors.bold(offer.provider));
    if (offer.error !== null)
      output.line(styled`${output.colors.yellow(offer.error.message)} ${output.asCalled(offer.error.hint)}`);
    else if (offer.models === null) output.line("This provider does not list its models.");
    else if (rows.length === 0)
      output.line(text === null ? "It has no models." : `It has none with “${text}” in its name.`);
    else {
      const shown = isWhole ? rows : rows.slice(0, MOST_ROWS);
      output.line(renderOn(output.io, tableOf(shown)));
      const left = rows.length - shown.length;
      if (left > 0) output.note(`${count(left, "more model")}: \`hermes models ${offer.provider}\` lists all.`);
    }
    output.line("");
  }
  const use = inUse === null ? "No model is set" : `In use: ${inUse}`;
  output.note(
    `${use}. \`/model <provider>/<model>\` in a chat chooses one for a session, \`model\` in the config for all.`,
  );
}

function tableOf(rows: readonly Row[]): string {
  const lines = rows.map((row) => {
    const window = row.window === null ? "unknown" : row.window.toLocaleString("en");
    const price = row.prices === null ? "unknown" : priceText(row).replace(" a million tokens", "");
    const reads = row.images === null ? "unknown" : row.images ? (row.pdf ? "yes, PDF too" : "yes") : "no";
    return `| ${escapeMarkdown(row.model)}${row.inUse ? " (in use)" : ""} | ${window} | ${price} | ${reads} |`;
  });
  return ["| model | window | price | pictures |", "| --- | ---: | --- | --- |", ...lines].join("\n");
}
