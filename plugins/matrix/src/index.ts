import { definePlugin, type PluginDescriptor } from "@hermes/core";
import { type MatrixConfig, matrixOptions } from "./config.ts";

export type { MatrixConfig, MatrixOptions } from "./config.ts";

/**
 * Matrix, through an account of the bot's own.
 *
 * ```ts
 * matrix({
 *   homeserverUrl: "https://matrix.example.org",
 *   accessToken: process.env.MATRIX_ACCESS_TOKEN,
 *   homeChannel: "!room:example.org",
 * })
 * ```
 */
export const matrix: (options?: MatrixConfig) => PluginDescriptor = definePlugin({
  package: "@hermes/plugin-matrix",
  platform: "matrix",
  apiVersion: 2,
  schema: matrixOptions,
  create: async (deps) => new (await import("./adapter.ts")).MatrixAdapter(deps),
});
