import * as z from 'zod/mini'

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
export const wireVersion = 1
/** The oldest version of the app that this server still serves. */
export const oldestWireVersion = 1

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
 * curl tell none, and neither did the first apps, which speak version 1.
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
