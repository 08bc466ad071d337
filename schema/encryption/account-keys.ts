import * as z from 'zod/mini'
import { canonicalJson } from '../helpers/json.ts'

/** Bytes in base64url, without padding. */
const bytes = z.string().check(z.regex(/^[\w-]*$/, 'This is not base64url.'))

const keyNumber = z.int().check(z.positive())

/**
 * The public halves of a person's keys, part of their public record. `number` rises with each new
 * key; `signature` is made by `signing` over `publicKeysText`. An app meets later formats (`v`)
 * here, so only `publishedKeys` asks for exact lengths.
 */
export const publicKeys = z.object({
  v: z.int(),
  number: keyNumber,
  /** X25519. */
  agreement: bytes,
  /** Ed25519. */
  signing: bytes,
  signature: bytes,
})
export type PublicKeys = z.infer<typeof publicKeys>

/** Points of X25519 with which everybody shares zero (RFC 7748, section 6.1); the highest bit is ignored. */
const lowOrder = new Set([
  '00'.repeat(32),
  `01${'00'.repeat(31)}`,
  'e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800',
  '5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157',
  `ec${'ff'.repeat(30)}7f`,
  `ed${'ff'.repeat(30)}7f`,
  `ee${'ff'.repeat(30)}7f`,
])

/** Can a secret be agreed on with this X25519 key? Nothing could be sealed for who has another. */
export function isAgreementKey(agreement: string): boolean {
  if (!/^[\w-]{43}$/.test(agreement)) return false
  const binary = atob(agreement.replaceAll('-', '+').replaceAll('_', '/'))
  const octets = Uint8Array.from(binary, (character) => character.charCodeAt(0))
  octets[31] = (octets[31] ?? 0) & 0x7f
  const hex = Array.from(octets, (octet) => octet.toString(16).padStart(2, '0')).join('')
  return !lowOrder.has(hex)
}

/** Public keys as the server takes them. */
export const publishedKeys = z.object(
  {
    v: z.literal(1),
    number: keyNumber.check(z.maximum(1_000_000)),
    agreement: bytes.check(
      z.length(43),
      z.refine(isAgreementKey, 'Nothing can be sealed for this key.'),
    ),
    signing: bytes.check(z.length(43)),
    signature: bytes.check(z.length(86)),
  },
  'The public keys are required',
)

/**
 * The account seed, sealed by AES-256-GCM for who has the password or the recovery key: 12 bytes of
 * nonce, 32 sealed ones and 16 of tag. Bound to the person, the number of the keys and the way in.
 */
export const wrappedSeed = z.object(
  {
    v: z.literal(1),
    number: keyNumber.check(z.maximum(1_000_000)),
    box: bytes.check(z.length(80)),
  },
  'The wrapped key is required',
)
export type WrappedSeed = z.infer<typeof wrappedSeed>

/** What opens a wrapped seed. */
export type WrapWay = 'password' | 'recovery'

/** The text that the signing key signs: no record counts for another person. */
export function publicKeysText(keys: Omit<PublicKeys, 'signature'>, userId: string): string {
  const { v, number, agreement, signing } = keys
  return `petrel public keys\n${canonicalJson({ v, number, agreement, signing, userId })}`
}
