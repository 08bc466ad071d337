import * as z from 'zod/mini'

/**
 * Words that only a conversation's people can read: `<format>.<epoch>.<box>`. One string, so that
 * two versions are compared and merged like any other value (decision 70).
 *
 * `format`: the number of the version that wrote it. `epoch`: names the secret it is sealed with.
 * `box`: base64url of a nonce (12 bytes) and AES-256-GCM-SIV's output over JSON in UTF-8, padded
 * with spaces to a multiple of 64 bytes. A later format may hold anything behind its number.
 */
export const sealedPart = z.string().check(z.regex(/^[1-9]\d{0,3}\.[\w.-]+$/))

/** The format that this version writes, and the latest that it reads. */
export const sealedFormat = 1

/** One person's reaction: an emoji of any length that is allowed, in full steps. */
export const sealedReaction = sealedPart.check(z.maxLength(600))

/**
 * Why a sealed part is not open. `key`: its epoch is unknown here, and may come. `broken`: nobody
 * can read it. `newer`: a later version of the app can.
 */
export type Lock = 'key' | 'broken' | 'newer'

/** Why a message's words are not there; undefined when they are. Only devices know. */
export function lockOf(message: object): Lock | undefined {
  return (message as { locked?: Lock }).locked
}

/** What a file is called where its name is sealed. */
export const sealedFileName = 'file'
