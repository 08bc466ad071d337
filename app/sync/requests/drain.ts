import pLimit from 'p-limit'
import { unreachable } from '../../../schema/helpers/assertions.ts'
import { wordsOf } from '../../../schema/helpers/text.ts'
import type { TimedSettings } from '../../../schema/settings.ts'
import { ApiError } from '../../api/api-error.ts'
import type { RequestEntry } from '../../database/storage/queued-request.ts'
import type { RequestStore } from '../../database/storage/request-store.ts'
import { createRefresher } from '../../database/views/refresher.ts'
import { type BackOff, createBackOff } from '../platform/back-off.ts'
import { judgeFailure } from './judge-failure.ts'
import type { RequestCalls } from './request-calls.ts'

const mostAtOnce = 4

/** Takes in the server's answer to settings that were sent. */
export type OnSettings = (sent: Partial<TimedSettings>, answer: TimedSettings) => Promise<void>

export interface Drain {
  /** Something was added: check for waiting requests. */
  look(): void
  /** An external sign of life: retries immediately. */
  hurry(): void
  /** Ms until the next attempt about this; undefined while it may start. */
  nextTryInMs(resource: string): number | undefined
  close(): Promise<void>
}

/**
 * Sends waiting requests: in order per subject, independently across subjects. Retries failures for
 * ever, with growing delays; marks refused ones and continues with the next (P6).
 */
export function createDrain(options: {
  store: RequestStore
  calls: RequestCalls
  random: () => number
  /** Asked after a 401: it may concern an earlier sign-in. */
  isSignedIn: () => boolean
  /** This sign-in ended: everything stays, and is sent after the next one. */
  onSignedOut: () => void
  onSettings: OnSettings
  onError: (cause: unknown) => void
}): Drain {
  const { store, calls, random, isSignedIn, onSignedOut, onSettings, onError } = options
  const closing = new AbortController()
  const { signal } = closing
  const lanes = new Map<string, { backOff: BackOff; ended: Promise<void> }>()
  const limit = pLimit(mostAtOnce)
  const looker = createRefresher({ run: look, onError })

  async function look() {
    for (const { resource, state } of await store.list()) {
      if (signal.aborted) return
      if (state === 'waiting' && !lanes.has(resource)) openLane(resource)
    }
  }

  function openLane(resource: string) {
    const backOff = createBackOff({ random })
    const ended = runLane(resource, backOff)
      .catch((cause: unknown) => {
        if (!signal.aborted) onError(cause)
      })
      .finally(() => {
        lanes.delete(resource)
        // Added between the last check of the lane and its end.
        if (!signal.aborted) void looker.refresh()
      })
    lanes.set(resource, { backOff, ended })
  }

  async function runLane(resource: string, backOff: BackOff) {
    for (;;) {
      const attempt = await backOff.begin(signal)
      const entry = await store.next(resource)
      if (!entry) return
      const waitMs = await limit(() => send(entry))
      if (waitMs === undefined) backOff.succeed()
      else backOff.fail(attempt, { atLeastMs: waitMs })
    }
  }

  /** @returns undefined when finished, else the minimum delay that the server asks for */
  async function send(entry: RequestEntry): Promise<number | undefined> {
    signal.throwIfAborted()
    try {
      await sendRequest(entry, { calls, signal, onSettings })
    } catch (cause) {
      signal.throwIfAborted()
      return await record(entry, cause)
    }
    await store.remove(entry._id)
    return undefined
  }

  async function record({ _id }: RequestEntry, cause: unknown): Promise<number | undefined> {
    const words = wordsOf(cause)
    const problem = { words, code: cause instanceof ApiError ? cause.code : 'unknown' }
    const judgement = judgeFailure(cause)
    if (judgement === 'refused') return void (await store.refuse(_id, problem))
    if (judgement === 'signed-out' && !isSignedIn()) {
      closing.abort(new Error('The sign-in has ended.'))
      onSignedOut()
      return undefined
    }
    if (!(cause instanceof ApiError)) onError(cause)
    await store.delay(_id, problem)
    return cause instanceof ApiError ? cause.retryAfterMs : 0
  }

  void looker.refresh()
  return {
    look: () => void looker.refresh(),
    hurry() {
      for (const { backOff } of lanes.values()) backOff.hurry()
    },
    nextTryInMs: (resource) => lanes.get(resource)?.backOff.remainingMs(),
    async close() {
      looker.close()
      closing.abort(new Error('Sending has ended.'))
      await Promise.all([...lanes.values()].map(({ ended }) => ended))
    },
  }
}

/**
 * Makes an entry's call, with the entry's id as the idempotency key (P2).
 * @throws what the call throws
 */
async function sendRequest(
  entry: RequestEntry,
  options: { calls: RequestCalls; signal: AbortSignal; onSettings: OnSettings },
): Promise<void> {
  const { calls, signal, onSettings } = options
  const { _id: key, request } = entry
  const repeatable = { key, signal }
  switch (request.kind) {
    case 'profile':
      return void (await calls.own.updateProfile(request.change, repeatable))
    case 'settings': {
      const { kind, ...sent } = request
      return await onSettings(sent, await calls.own.changeSettings(sent, repeatable))
    }
    case 'picture':
      return void (await calls.own.updatePicture(request.picture, repeatable))
    case 'block':
      return void (await calls.users.setBlocked(request, repeatable))
    case 'report':
      return void (await calls.users.report(request, repeatable))
    case 'forward':
      return void (await calls.messages.forward(request, repeatable))
    case 'group':
      return void (await calls.groups.change(request, repeatable))
    case 'join':
      return void (await calls.groups.join(request.code, repeatable))
    case 'join-answer':
      return void (await calls.groups.answerRequest(request, repeatable))
    case 'withdraw-link':
      return void (await calls.groups.revokeInvite(request.groupId, {
        ...repeatable,
        code: request.code,
      }))
    default:
      return unreachable(request)
  }
}
