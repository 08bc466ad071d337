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

/** Public keys as the server takes them. */
export const publishedKeys = z.object(
  {
    v: z.literal(1),
    number: keyNumber.check(z.maximum(1_000_000)),
    agreement: bytes.check(z.length(43)),
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
