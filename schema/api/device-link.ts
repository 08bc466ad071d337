import * as z from 'zod/mini'

/**
 * A link's id: the first 128 bits of the SHA-256 of the new device's keys, one behind the other, in
 * base64url. So the code that carries it stands for both keys, whatever a server says of them.
 */
export const deviceLinkId = z
  .string()
  .check(z.regex(/^[\w-]{22}$/, "This isn't the code of a device."))

/** The new device's public key: a point of P-256, uncompressed, in base64url. */
const publicKey = z.string().check(z.regex(/^B[\w-]{86}$/, "This isn't a key of a device."))

/** The new device's X25519 key, to which the account's keys are sealed. */
const agreement = z.string().check(z.regex(/^[\w-]{43}$/, "This isn't a key of a device."))

/**
 * The account's own keys, sealed by the device that confirms for the one that it confirmed:
 * AES-256-GCM with what X25519 gives of `ephemeral` and the new device's key.
 */
export const handedKeys = z.object({
  v: z.literal(1),
  ephemeral: agreement,
  box: z.string().check(z.regex(/^[\w-]+$/), z.maxLength(12_000)),
})
export type HandedKeys = z.infer<typeof handedKeys>

/** An ECDSA signature with SHA-256 over `proofText`, both numbers in base64url. */
const signature = z.string().check(z.regex(/^[\w-]{86}$/, "This isn't a signature."))

const challenge = z.string()

/** What the new device proves with each signature. */
export type ProofPurpose = 'wait' | 'cancel' | 'complete'

/** The text that the new device signs: no signature counts for another link, step or challenge. */
export function proofText(given: { id: string; purpose: ProofPurpose; challenge: string }): string {
  return `petrel device link\n${given.purpose}\n${given.id}\n${given.challenge}`
}

/** What POST /auth/device-links takes. */
export const deviceLinkBegin = z.object(
  { publicKey, agreement: z.optional(agreement) },
  'The key of the new device is required',
)

/** `publicUrl`: the address that the code opens, where the server knows a better one. */
export const deviceLinkBegun = z.object({
  id: deviceLinkId,
  challenge,
  publicUrl: z.nullable(z.string()),
  expiresInMs: z.number(),
})
export type DeviceLinkBegun = z.infer<typeof deviceLinkBegun>

/** `waiting` for a scan, for the `scanned` code's confirmation, for the `approved` device. */
const openState = z.enum(['waiting', 'scanned', 'approved'])

/** What the new device sends to wait: the state that it shows. */
export const deviceLinkWait = z.object(
  { signature, seen: openState },
  'A signature and the state that was seen are required',
)

/** `challenge`: for `complete`, once approved. `username`: who scanned the code. */
export const deviceLinkStep = z.object({
  state: openState,
  username: z.optional(z.string()),
  challenge: z.optional(challenge),
  expiresInMs: z.number(),
})
export type DeviceLinkStep = z.infer<typeof deviceLinkStep>

export const deviceLinkCancel = z.object({ signature }, 'A signature is required')
export const deviceLinkCancelled = z.object({ isCancelled: z.literal(true) })

/** `keepSignedIn: false` ends the sign-in after 12 hours instead of 30 days. */
export const deviceLinkComplete = z.object(
  { signature, keepSignedIn: z.optional(z.boolean('keepSignedIn must be true or false')) },
  'A signature is required',
)

/** `done`: the device is signed in. */
const personState = z.enum(['scanned', 'approved', 'done'])

/**
 * What the person who scanned the code sees. `device` is a user agent, as in sessions; the keys are
 * those that the code stands for.
 */
export const scannedDevice = z.object({
  publicKey: z.optional(publicKey),
  agreement: z.optional(agreement),
  state: personState,
  device: z.string(),
  isSameNetwork: z.boolean(),
  startedAt: z.iso.datetime(),
  expiresInMs: z.number(),
})
export type ScannedDevice = z.infer<typeof scannedDevice>

export const scannedDeviceQuery = z.object({ seen: z.optional(personState) })

export const deviceLinkDecision = z.object(
  {
    isAllowed: z.boolean('isAllowed must be true or false'),
    handedKeys: z.optional(handedKeys),
  },
  'isAllowed must be true or false',
)
export const deviceLinkDecided = z.object({ state: z.enum(['approved', 'refused']) })
