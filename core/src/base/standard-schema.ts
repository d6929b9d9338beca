/** A schema that implements Standard Schema (zod, valibot, arktype …): https://standardschema.dev */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

/** A Standard Schema that also provides its JSON schema, as zod's do: https://standardschema.dev */
export interface ToolInput<Output> {
  readonly "~standard": StandardSchema<unknown, Output>["~standard"] & {
    readonly jsonSchema: {
      input(options: { readonly target: "draft-07" }): Record<string, unknown>;
    };
  };
}

type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string; readonly path?: readonly unknown[] | undefined }[] };
