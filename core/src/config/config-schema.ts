import { z } from "zod";
import { readRule } from "../permissions/rule.ts";

const provider = z.strictObject({
  baseUrl: z.url({ protocol: /^https?$/ }),
  apiKey: z.string().min(1).optional(),
  protocol: z.enum(["compatible", "responses", "anthropic", "google"]).optional(),
});
/** `<provider>/<model>` */
const modelName = z.string().regex(/^[^\s/]+\/\S+$/, "is no model's name: write `<provider>/<model>`");
const tokens = z.number().int().positive();
const dollars = z.number().nonnegative();
const knownModel = z.strictObject({
  window: tokens.optional(),
  maxOutput: tokens.optional(),
  images: z.boolean().optional(),
  pdf: z.boolean().optional(),
  prices: z
    .strictObject({
      ...{ input: dollars, output: dollars, cacheRead: dollars.optional(), cacheWrite: dollars.optional() },
    })
    .optional(),
});
const models = z.strictObject({
  fallback: z.array(modelName).default([]),
  known: z.record(modelName, knownModel).default({}),
});
const seconds = z.number().positive().max(3_600).default(60);
const modelTimeouts = z.strictObject({ firstByteSeconds: seconds, idleSeconds: seconds });
const store = z.strictObject({ durability: z.enum(["normal", "full"]).default("normal") });
/** Read, and without effect: see CONFIG_WITHOUT_EFFECT. */
const gateway = z.strictObject({ allowHandoff: z.boolean().optional() });
const log = z.strictObject({ level: z.enum(["debug", "info", "warn", "error"]).default("info") });
const rules = z
  .array(
    z.string().superRefine((text, context) => {
      const { problem } = readRule(text);
      if (problem !== null) context.addIssue({ code: "custom", message: problem });
    }),
  )
  .default([]);
const tools = z.strictObject({
  directory: z.string().min(1).nullable().default(null),
  answerWithinHours: z.number().positive().max(8_760).nullable().default(24),
});
const permissions = z.strictObject({ allow: rules, ask: rules, deny: rules });
const limit = z
  .strictObject({ dollars: z.number().positive().optional(), tokens: z.int().positive().optional() })
  .refine(({ dollars, tokens }) => dollars !== undefined || tokens !== undefined, {
    message: "it limits neither `dollars` nor `tokens`",
  });
const limits = z.strictObject({ session: limit.optional(), day: limit.optional(), person: limit.optional() });

/** What core reads of a config. The plugins' entries are looked at one by one elsewhere. */
export const configSchema = z.strictObject({
  model: z.string().min(1).optional(),
  models: models.prefault({}),
  providers: z.record(z.string().min(1), provider).default({}),
  modelTimeouts: modelTimeouts.prefault({}),
  instructions: z.string().optional(),
  plugins: z.array(z.unknown()).default([]),
  store: store.prefault({}),
  gateway: gateway.optional(),
  overview: z.array(z.string().min(1)).nullable().default(null),
  log: log.prefault({}),
  permissions: permissions.prefault({}),
  tools: tools.prefault({}),
  limits: limits.prefault({}),
  continuity: z.enum(["offer", "off"]).default("offer"),
  notify: z.enum(["osc9", "bell", "off"]).default("osc9"),
});

/** The keys of the object at `path` of a config. */
export function configKeysAt(path: readonly unknown[]): readonly string[] {
  const [first, second] = path;
  if (first === undefined) return Object.keys(configSchema.shape);
  if (first === "limits" && second !== undefined) return Object.keys(limit.shape);
  const inner = { models, providers: provider, modelTimeouts, store, gateway, log, permissions, tools, limits }[
    String(first)
  ];
  return inner ? Object.keys(inner.shape) : [];
}
