import * as z from 'zod/mini'
import { limits } from '../limits.ts'

/**
 * On every answer of `/sync/<database>`: the epoch in which its sequence numbers count. On a
 * device's request: the epoch that it knows. A different epoch means that old sequence numbers are
 * void: start over.
 */
export const epochHeader = 'x-petrel-epoch'

/**
 * On every request of the app: the version of the protocol that it speaks. On every answer to one:
 * the server's.
 */
export const wireHeader = 'x-petrel-wire'
/** The same on a socket, where browsers can set no header: `wire.<version>`, a subprotocol. */
export const wireProtocolPrefix = 'wire.'

/**
 * The version of the protocol between app and server. A change that either side's older versions
 * would misread raises it; `wire.test.ts` notices the change.
 */
export const wireVersion = 2
/**
 * The oldest version of the app that this server still serves. Version 1 would draw sealed messages
 * as empty ones, and edit over them.
 */
export const oldestWireVersion = 2

/** Which versions a server serves. */
export interface WireRange {
  oldest: number
  newest: number
}

/** Why a server does not serve an app: one of the two is too old. */
export type WireProblem = 'app_outdated' | 'server_outdated'

const served: WireRange = { oldest: oldestWireVersion, newest: wireVersion }

/**
 * Checks the version that an app has told. Without one nothing is refused: clients of CouchDB and
 * curl tell none.
 * @returns null when the app is served
 */
export function checkWire(told: string | undefined, range: WireRange = served): WireProblem | null {
  if (told === undefined || !/^\d{1,9}$/.test(told)) return null
  const version = Number(told)
  if (version < range.oldest) return 'app_outdated'
  // It may say what this server would misread, and refuse for good.
  return version > range.newest ? 'server_outdated' : null
}

/** Beneath `/sync`, refusals are written as CouchDB writes them. */
const outdatedAnswer = z.union([
  z.object({ code: z.literal('app_outdated') }),
  z.object({ error: z.literal('app_outdated') }),
])

/** Does this answer say that the app is too old? An intermediary's 426 says something else. */
export function isOutdatedAnswer({ status, body }: { status: number; body: unknown }): boolean {
  return status === 426 && outdatedAnswer.safeParse(body).success
}

/** The time limit for an upload on the slowest supported line. Both sides apply it. */
export function limitUploadMs(bytes: number): number {
  return limits.uploadTimeoutMs + Math.ceil((bytes / limits.uploadSlowestBytesPerSecond) * 1_000)
}
