import type { SignedIn } from '../../schema/api/auth.ts'
import {
  type DeviceLinkBegun,
  type DeviceLinkStep,
  type ProofPurpose,
  proofText,
} from '../../schema/api/device-link.ts'
import { wordsOf } from '../../schema/helpers/text.ts'
import { ApiError, isPassing } from '../api/api-error.ts'
import type { LinkingCalls } from '../api/linking-calls.ts'
import { createLiveValue, type LiveValue } from '../database/views/live-value.ts'
import { createBackOff } from '../sync/platform/back-off.ts'

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const

export type LinkingState =
  | { kind: 'making' }
  /** `address`: what the code says. */
  | { kind: 'shown'; address: string }
  | { kind: 'scanned'; username: string }
  | { kind: 'approved'; username: string }
  /** Nobody looks: the code is renewed when somebody does. */
  | { kind: 'paused' }
  /** The server cannot be asked; tried again without being asked. */
  | { kind: 'trouble'; words: string }
  /** `again` shows a new code. */
  | { kind: 'ended'; words: string }

export interface DeviceLinking {
  state: LiveValue<LinkingState>
  /** Withdraws the code that is shown, and shows another one when `again` is called. */
  cancel(): void
  again(): void
  /** Withdraws the code. */
  close(): void
}

/** Is the page looked at? */
export interface PageSight {
  isVisible(): boolean
  /** Calls back when the page is shown or hidden, or the network is back. */
  watch(listener: () => void): () => void
}

interface OpenLink {
  key: DeviceKey
  begun: DeviceLinkBegun
}

/** Ends of a code that was only shown: another one takes its place without a word. */
const renewing = new Set(['device_link_expired', 'device_link_unknown'])

/**
 * Shows codes for this device until a signed-in device confirms one; renews them while the page is
 * looked at.
 * @param origin the address in the code, unless the server knows a better one
 * @param endSignIn for one that comes when nobody waits for it any more
 */
export function createDeviceLinking(options: {
  calls: Pick<LinkingCalls, 'begin' | 'wait' | 'cancel' | 'complete'>
  page: PageSight
  origin: string
  keepSignedIn: () => boolean
  onSignedIn: (session: SignedIn) => void
  endSignIn: (session: SignedIn) => Promise<void>
}): DeviceLinking {
  const { calls, page, origin, keepSignedIn, onSignedIn, endSignIn } = options
  const state = createLiveValue<LinkingState>({ kind: 'making' })
  const backOff = createBackOff({ random: Math.random })
  let run = new AbortController()
  let open: OpenLink | undefined

  /** Asks until the server answers; a refusal is an answer. */
  async function persist<Answer>(ask: () => Promise<Answer>, signal: AbortSignal) {
    const before = state.getSnapshot()
    const endTrouble = () => {
      if (state.getSnapshot().kind === 'trouble') state.set(before)
    }
    for (;;) {
      const attempt = await backOff.begin(signal)
      try {
        const answer = await ask()
        backOff.succeed()
        signal.throwIfAborted()
        endTrouble()
        return answer
      } catch (cause) {
        signal.throwIfAborted()
        if (!(cause instanceof ApiError)) throw cause
        if (!isPassing(cause)) {
          backOff.succeed()
          endTrouble()
          throw cause
        }
        state.set({ kind: 'trouble', words: wordsOf(cause) })
        backOff.fail(attempt, { atLeastMs: cause.retryAfterMs })
      }
    }
  }

  async function untilVisible(signal: AbortSignal) {
    if (page.isVisible()) return
    state.set({ kind: 'paused' })
    await new Promise<void>((resolve, reject) => {
      const stop = page.watch(() => page.isVisible() && finish())
      const leave = () => finish()
      signal.addEventListener('abort', leave, { once: true })
      function finish() {
        stop()
        signal.removeEventListener('abort', leave)
        if (signal.aborted) reject(signal.reason)
        else resolve()
      }
    })
  }

  /** Follows one code until the device is signed in. @throws ApiError when the code has ended */
  async function follow({ key, begun }: OpenLink, signal: AbortSignal): Promise<SignedIn> {
    const { id, challenge, publicUrl } = begun
    const address = `${publicUrl ?? origin}/link#${id}`
    const signature = await key.sign({ id, purpose: 'wait', challenge })
    let seen: DeviceLinkStep['state'] = 'waiting'
    state.set({ kind: 'shown', address })
    for (;;) {
      const step: DeviceLinkStep = await persist(
        () => calls.wait({ id, signature, seen }, { signal }),
        signal,
      )
      seen = step.state
      const { username = '' } = step
      if (step.state === 'scanned') state.set({ kind: 'scanned', username })
      if (step.state !== 'approved' || step.challenge === undefined) continue
      state.set({ kind: 'approved', username })
      const proof = await key.sign({ id, purpose: 'complete', challenge: step.challenge })
      // Not to be aborted: the server has the sign-in already, and nobody would end it.
      const complete = async () => {
        const session = await calls.complete({
          id,
          signature: proof,
          keepSignedIn: keepSignedIn(),
        })
        if (signal.aborted) await endSignIn(session)
        return session
      }
      return await persist(complete, signal)
    }
  }

  async function showCodes(signal: AbortSignal) {
    for (;;) {
      await untilVisible(signal)
      state.set({ kind: 'making' })
      try {
        const key = await makeDeviceKey()
        const begun = await persist(() => calls.begin(key.publicKey, { signal }), signal)
        open = { key, begun }
        const session = await follow(open, signal)
        open = undefined
        return onSignedIn(session)
      } catch (cause) {
        signal.throwIfAborted()
        open = undefined
        const isRenewed =
          state.getSnapshot().kind === 'shown' &&
          cause instanceof ApiError &&
          renewing.has(cause.code)
        if (!isRenewed) return state.set({ kind: 'ended', words: wordsOf(cause) })
      }
    }
  }

  function begin() {
    run = new AbortController()
    showCodes(run.signal).catch(() => {})
  }

  function withdraw() {
    run.abort()
    const link = open
    open = undefined
    if (link) void cancelLink(link).catch(() => {})
  }

  async function cancelLink({ key, begun: { id, challenge } }: OpenLink) {
    await calls.cancel({ id, signature: await key.sign({ id, purpose: 'cancel', challenge }) })
  }

  const stopWatching = page.watch(backOff.hurry)
  begin()
  return {
    state,
    cancel() {
      withdraw()
      state.set({ kind: 'ended', words: 'You cancelled the sign-in.' })
    },
    again() {
      withdraw()
      begin()
    },
    close() {
      withdraw()
      stopWatching()
      backOff.close()
    },
  }
}

/** The key of a device that asks to be signed in. The private part never leaves the browser. */
interface DeviceKey {
  publicKey: string
  sign(given: { id: string; purpose: ProofPurpose; challenge: string }): Promise<string>
}

/** Browsers give keys over HTTPS and on `localhost` only. */
export function canMakeKeys(): boolean {
  return globalThis.crypto?.subtle !== undefined
}

async function makeDeviceKey(): Promise<DeviceKey> {
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
