import { type Content, isObject } from "./wire.ts";

interface DeviceRecord {
  deviceKeys: Content | null;
  readonly oneTimeKeys: Map<string, unknown>;
  readonly fallbackKeys: Map<string, unknown>;
}

/**
 * What the server keeps of end-to-end encryption ("End-to-end encryption"): public keys, which it hands out, and no
 * secret.
 */
export class DeviceKeys {
  readonly #devices = new Map<string, Map<string, DeviceRecord>>();
  readonly #crossSigning = new Map<string, Record<string, Content>>();
  /** Called when a user's devices or identity have changed. */
  onChange: (userId: string) => void = () => {};

  upload(userId: string, deviceId: string, body: Content): Content {
    const device = this.#device(userId, deviceId);
    if (isObject(body.device_keys)) {
      device.deviceKeys = body.device_keys;
      this.onChange(userId);
    }
    for (const [id, key] of entriesOf(body.one_time_keys)) {
      const known = device.oneTimeKeys.get(id);
      if (known !== undefined && JSON.stringify(known) !== JSON.stringify(key)) throw new KeyExists(id);
      device.oneTimeKeys.set(id, key);
    }
    for (const [id, key] of entriesOf(body.fallback_keys)) device.fallbackKeys.set(id, key);
    return { one_time_key_counts: this.counts(userId, deviceId) };
  }

  counts(userId: string, deviceId: string): Record<string, number> {
    const counts: Record<string, number> = { signed_curve25519: 0 };
    for (const id of this.#device(userId, deviceId).oneTimeKeys.keys()) {
      const algorithm = algorithmOf(id);
      counts[algorithm] = (counts[algorithm] ?? 0) + 1;
    }
    return counts;
  }

  has(userId: string, deviceId: string): boolean {
    return this.#device(userId, deviceId).deviceKeys !== null;
  }

  unusedFallback(userId: string, deviceId: string): string[] {
    return [...new Set([...this.#device(userId, deviceId).fallbackKeys.keys()].map(algorithmOf))];
  }

  query(userIds: readonly string[]): Content {
    const pick = (name: string) =>
      Object.fromEntries(
        userIds.flatMap((userId) => {
          const key = this.#crossSigning.get(userId)?.[name];
          return key ? [[userId, key]] : [];
        }),
      );
    return {
      device_keys: Object.fromEntries(userIds.map((userId) => [userId, this.#keysOf(userId)])),
      failures: {},
      master_keys: pick("master_key"),
      self_signing_keys: pick("self_signing_key"),
      user_signing_keys: pick("user_signing_key"),
    };
  }

  /** Gives each key away once; the fallback key as often as needed. */
  claim(wanted: Content): Content {
    const claimed: Record<string, Record<string, unknown>> = {};
    for (const [userId, devices] of entriesOf(wanted)) {
      for (const [deviceId, algorithm] of entriesOf(devices)) {
        const { oneTimeKeys, fallbackKeys } = this.#device(userId, deviceId);
        const fits = (id: string) => algorithmOf(id) === algorithm;
        const id = [...oneTimeKeys.keys()].find(fits) ?? [...fallbackKeys.keys()].find(fits);
        if (id === undefined) continue;
        const key = oneTimeKeys.get(id) ?? fallbackKeys.get(id);
        oneTimeKeys.delete(id);
        claimed[userId] = { ...claimed[userId], [deviceId]: { [id]: key } };
      }
    }
    return { one_time_keys: claimed, failures: {} };
  }

  setCrossSigning(userId: string, body: Content): void {
    const { auth: _, ...keys } = body;
    this.#crossSigning.set(userId, { ...this.#crossSigning.get(userId), ...(keys as Record<string, Content>) });
    this.onChange(userId);
  }

  addSignatures(body: Content): void {
    for (const [userId, signed] of entriesOf(body)) {
      for (const [id, object] of entriesOf(signed)) {
        const device = this.#devices.get(userId)?.get(id);
        if (device?.deviceKeys && isObject(object)) {
          device.deviceKeys = {
            ...device.deviceKeys,
            signatures: merged(device.deviceKeys.signatures, object.signatures),
          };
        }
      }
      this.onChange(userId);
    }
  }

  remove(userId: string, deviceId: string): void {
    if (this.#devices.get(userId)?.delete(deviceId)) this.onChange(userId);
  }

  #keysOf(userId: string): Content {
    const devices = [...(this.#devices.get(userId) ?? [])];
    return Object.fromEntries(devices.flatMap(([id, { deviceKeys }]) => (deviceKeys ? [[id, deviceKeys]] : [])));
  }

  #device(userId: string, deviceId: string): DeviceRecord {
    const devices = this.#devices.get(userId) ?? new Map<string, DeviceRecord>();
    this.#devices.set(userId, devices);
    const device = devices.get(deviceId) ?? { deviceKeys: null, oneTimeKeys: new Map(), fallbackKeys: new Map() };
    devices.set(deviceId, device);
    return device;
  }
}

/** A one-time key was uploaded a second time with another value: the device has lost its store. */
export class KeyExists extends Error {
  constructor(id: string) {
    super(`One time key ${id} already exists. Old key: … new key: …`);
    this.name = "KeyExists";
  }
}

function algorithmOf(id: string): string {
  return id.split(":", 1)[0] ?? id;
}

function entriesOf(value: unknown): [string, unknown][] {
  return isObject(value) ? Object.entries(value) : [];
}

function merged(one: unknown, other: unknown): Content {
  const result: Record<string, unknown> = { ...(isObject(one) ? one : {}) };
  for (const [userId, signatures] of entriesOf(other)) {
    result[userId] = {
      ...(isObject(result[userId]) ? result[userId] : {}),
      ...(isObject(signatures) ? signatures : {}),
    };
  }
  return result;
}
