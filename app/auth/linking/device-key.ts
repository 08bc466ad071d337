import { type ProofPurpose, proofText } from '../../../schema/api/device-link.ts'

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const

/** The key of a device that asks to be signed in. The private part never leaves the browser. */
export interface DeviceKey {
  publicKey: string
  sign(given: { id: string; purpose: ProofPurpose; challenge: string }): Promise<string>
}

/** Browsers give keys over HTTPS and on `localhost` only. */
export function canMakeKeys(): boolean {
  return globalThis.crypto?.subtle !== undefined
}

export async function makeDeviceKey(): Promise<DeviceKey> {
  const { subtle } = crypto
  const { publicKey, privateKey } = await subtle.generateKey(algorithm, false, ['sign'])
  return {
    publicKey: toBase64url(await subtle.exportKey('raw', publicKey)),
    async sign(given) {
      const text = new TextEncoder().encode(proofText(given))
      return toBase64url(await subtle.sign(algorithm, privateKey, text))
    },
  }
}

function toBase64url(bytes: ArrayBuffer): string {
  const text = String.fromCharCode(...new Uint8Array(bytes))
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}
