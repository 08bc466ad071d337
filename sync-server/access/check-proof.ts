import { createHash, webcrypto } from 'node:crypto'
import { type ProofPurpose, proofText } from '../../schema/api/device-link.ts'

const { subtle } = webcrypto
const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const
const idBytes = 16

const fromBase64url = (text: string) => new Uint8Array(Buffer.from(text, 'base64url'))

/** The id of the link of these keys: the code that carries it stands for them alone. */
export function toLinkId(publicKey: string, agreement = ''): string {
  const hash = createHash('sha256').update(fromBase64url(publicKey))
  const digest = hash.update(fromBase64url(agreement)).digest()
  return digest.subarray(0, idBytes).toString('base64url')
}

/** Is it a point of the curve? */
export async function isUsableKey(publicKey: string): Promise<boolean> {
  return (await readKey(publicKey)) !== undefined
}

/** Did the holder of the private key sign exactly this? */
export async function checkProof(given: {
  publicKey: string
  signature: string
  id: string
  purpose: ProofPurpose
  challenge: string
}): Promise<boolean> {
  const key = await readKey(given.publicKey)
  if (!key) return false
  const text = new TextEncoder().encode(proofText(given))
  return await subtle.verify(algorithm, key, fromBase64url(given.signature), text)
}

async function readKey(publicKey: string) {
  try {
    return await subtle.importKey('raw', fromBase64url(publicKey), algorithm, false, ['verify'])
  } catch {
    return undefined
  }
}
