import { invalidField } from "./refusal.ts";

/** A button ("Button"), as far as the emulator has it. */
export interface Button {
  readonly type: number;
  readonly style: number;
  readonly label: string;
  readonly custom_id: string;
}

/** A row of buttons ("Action Row"). */
export interface ActionRow {
  readonly type: number;
  readonly components: readonly Button[];
}

const ACTION_ROW = 1;
export const BUTTON = 2;

/** Rows of a message, and buttons of a row. */
const MOST = 5;

const LONGEST_LABEL = 80;
const LONGEST_ID = 100;

/** The rows that a call puts below a message. Throws the platform's refusals. */
export function checkedRows(value: unknown): readonly ActionRow[] {
  if (!Array.isArray(value)) throw invalidField("components", "LIST_TYPE_CONVERT", "Only iterables may be used.");
  if (value.length > MOST) throw badLength("components", 0, MOST);
  const rows = value.map((row, at) => checkedRow(row, `components.${at}`));
  const ids = rows.flatMap(({ components }) => components.map((button) => button.custom_id));
  if (new Set(ids).size < ids.length) {
    throw invalidField("components", "COMPONENT_CUSTOM_ID_DUPLICATED", "Component custom id cannot be duplicated");
  }
  return rows;
}

function checkedRow(value: unknown, path: string): ActionRow {
  const { type, components } = Object(value) as Partial<ActionRow>;
  if (type !== ACTION_ROW || !Array.isArray(components)) {
    throw invalidField(path, "UNION_TYPE_CHOICES", 'Value of field "type" must be one of (1,).');
  }
  if (components.length < 1 || components.length > MOST) throw badLength(`${path}.components`, 1, MOST);
  return { type, components: components.map((one, at) => checkedButton(one, `${path}.components.${at}`)) };
}

function checkedButton(value: unknown, path: string): Button {
  const { type, style = 0, label, custom_id: id } = Object(value) as Partial<Button>;
  if (type !== BUTTON) throw invalidField(`${path}.type`, "BASE_TYPE_CHOICES", "Value must be one of {2}.");
  if (![1, 2, 3, 4].includes(style)) {
    throw invalidField(`${path}.style`, "BASE_TYPE_CHOICES", "Value must be one of {1, 2, 3, 4}.");
  }
  if (typeof label !== "string" || label.length < 1 || label.length > LONGEST_LABEL) {
    throw badLength(`${path}.label`, 1, LONGEST_LABEL);
  }
  if (typeof id !== "string" || id.length < 1 || id.length > LONGEST_ID) {
    throw badLength(`${path}.custom_id`, 1, LONGEST_ID);
  }
  return { type, style, label, custom_id: id };
}

function badLength(path: string, least: number, most: number) {
  return invalidField(path, "BASE_TYPE_BAD_LENGTH", `Must be between ${least} and ${most} in length.`);
}
