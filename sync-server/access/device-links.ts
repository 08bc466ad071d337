import { randomBytes, randomUUID } from 'node:crypto'
import * as z from 'zod/mini'
import { handedKeys } from '../../schema/api/device-link.ts'
import { unreachable } from '../../schema/helpers/assertions.ts'
import { createDeferred } from '../../schema/helpers/deferred.ts'
import { limits } from '../../schema/limits.ts'
import type { ServerLink } from '../cluster/server-link.ts'

const states = ['waiting', 'scanned', 'approved', 'used', 'refused', 'cancelled'] as const

/**
 * A device that asks to be signed in. `by`: the person who scanned its code, and their sign-in;
 * `sessionId`: the sign-in that the device gets. Times are epoch ms.
 */
const deviceLink = z.object({
  id: z.string(),
  publicKey: z.string(),
  agreement: z.optional(z.string()),
  device: z.string(),
  address: z.string(),
  startedAt: z.number(),
  expiresAt: z.number(),
  state: z.enum(states),
  /** For `wait` and `cancel`; another one for `complete`, made with the approval. */
  challenge: z.string(),
  finalChallenge: z.optional(z.string()),
  by: z.optional(
    z.object({
      userId: z.string(),
      sessionId: z.string(),
      username: z.string(),
      passwordChanges: z.optional(z.number()),
    }),
  ),
  sessionId: z.optional(z.string()),
  /** The account's keys, sealed for the device by the one that confirmed it. */
  handedKeys: z.optional(handedKeys),
})

export const linkRefusals = [
  'device_link_unknown',
  'device_link_expired',
  'device_link_used',
  'device_link_refused',
  'device_link_cancelled',
  'device_link_not_approved',
  'busy',
] as const

/** One step of a link, as one server asks it of the server that keeps the link. */
const linkStep = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('view'), id: z.string() }),
  z.object({
    kind: z.literal('scan'),
    id: z.string(),
    by: z.object({
      userId: z.string(),
      sessionId: z.string(),
      username: z.string(),
      passwordChanges: z.optional(z.number()),
    }),
  }),
  z.object({
    kind: z.literal('decide'),
    id: z.string(),
    userId: z.string(),
    isAllowed: z.boolean(),
    handedKeys: z.optional(handedKeys),
  }),
  z.object({ kind: z.literal('cancel'), id: z.string() }),
  z.object({ kind: z.literal('use'), id: z.string() }),
])

const linkOutcome = z.union([
  z.object({ link: deviceLink }),
  z.object({ refusal: z.enum(linkRefusals) }),
])

const { stepMs, openPerNetworkMax, keptMax } = limits.deviceLinks

const deviceMaxLength = 200

/** Another server answers from memory: longer means that none of them keeps the link. */
const answerDueWithinMs = 2_000

const ask = z.object({ askId: z.string(), step: linkStep })

const answer = z.object({ askId: z.string(), outcome: linkOutcome })

const changed = z.object({ id: z.string() })

export type DeviceLinks = ReturnType<typeof createDeviceLinks>

/**
 * Devices that ask to be signed in. The server that a device began at keeps its link and takes every
 * step; others ask it over `link`, so a step happens once however many servers there are.
 * @param now epoch ms
 * @param answersWithinMs replaces the two seconds that another server has to answer
 */
export function createDeviceLinks(options: {
  link?: ServerLink | undefined
  now?: (() => number) | undefined
  answersWithinMs?: number | undefined
}) {
  const { link, now = Date.now, answersWithinMs = answerDueWithinMs } = options
  const waiters = createLinkWaiters()
  const asked = new Map<string, (outcome: LinkOutcome) => void>()
  const pending = createPendingLinks({
    now,
    onChange(id) {
      waiters.wake(id)
      link?.publish('device-link-changed', { id })
    },
  })

  const stopListening = link
    ? [
        link.listen('device-link-changed', (data) => waiters.wake(changed.parse(data).id)),
        link.listen('device-link-asked', (data, from) => {
          const { askId, step } = ask.parse(data)
          if (!pending.has(step.id)) return
          link.tell(from, 'device-link-answered', { askId, outcome: pending.take(step) })
        }),
        link.listen('device-link-answered', (data) => {
          const { askId, outcome } = answer.parse(data)
          asked.get(askId)?.(outcome)
        }),
      ]
    : []

  function askOthers(link: ServerLink, step: LinkStep): Promise<LinkOutcome> {
    if (!link.isUp()) return Promise.resolve({ refusal: 'busy' })
    const askId = randomUUID()
    return new Promise((resolve) => {
      const finish = (outcome: LinkOutcome) => {
        clearTimeout(timer)
        asked.delete(askId)
        resolve(outcome)
      }
      const timer = setTimeout(finish, answersWithinMs, { refusal: 'device_link_unknown' })
      asked.set(askId, finish)
      link.publish('device-link-asked', { askId, step })
    })
  }

  async function take(step: LinkStep): Promise<LinkOutcome> {
    if (pending.has(step.id) || !link) return pending.take(step)
    return await askOthers(link, step)
  }

  return {
    begin: pending.begin,
    take,

    /** How long a link's step may still take, in ms. */
    leftOf: ({ expiresAt }: DeviceLink): number => Math.max(0, expiresAt - now()),

    /**
     * Looks at a link until it is news, or `withinMs` are over, or the caller is gone.
     * @param isNews is it worth an answer?
     */
    async watch(
      id: string,
      waiting: { isNews: (outcome: LinkOutcome) => boolean; withinMs: number; gone: AbortSignal },
    ): Promise<LinkOutcome> {
      const { isNews, withinMs, gone } = waiting
      const endsAt = performance.now() + withinMs
      for (;;) {
        // Waits before it looks: a change in between wakes it too.
        const left = endsAt - performance.now()
        const change = waiters.wait(id, { withinMs: Math.max(0, left), gone })
        const outcome = await take({ kind: 'view', id })
        if (left <= 0 || isNews(outcome) || gone.aborted || waiters.isClosed()) {
          change.stop()
          return outcome
        }
        await change.ended
      }
    },

    /** Ends everything that waits. */
    close() {
      for (const stop of stopListening) stop()
      waiters.close()
      for (const finish of [...asked.values()]) finish({ refusal: 'busy' })
    },
  }
}

/** Those who wait for a link to change; each wait ends with its time, its caller or the server. */
function createLinkWaiters() {
  const waiters = new Map<string, Set<() => void>>()
  const state = { isClosed: false }

  return {
    /** Begins to wait. `stop` ends the wait, and may be called at any time. */
    wait(id: string, options: { withinMs: number; gone: AbortSignal }) {
      const { withinMs, gone } = options
      const end = createDeferred()
      const own = waiters.get(id) ?? new Set()
      waiters.set(id, own.add(stop))
      const timer = setTimeout(stop, withinMs)
      gone.addEventListener('abort', stop)
      function stop() {
        clearTimeout(timer)
        gone.removeEventListener('abort', stop)
        own.delete(stop)
        if (own.size === 0 && waiters.get(id) === own) waiters.delete(id)
        end.resolve()
      }
      if (state.isClosed || gone.aborted) stop()
      return { ended: end.promise, stop }
    },

    wake(id: string) {
      for (const stop of [...(waiters.get(id) ?? [])]) stop()
    },

    isClosed: () => state.isClosed,

    close() {
      state.isClosed = true
      for (const own of [...waiters.values()]) for (const stop of [...own]) stop()
    },
  }
}

/**
 * The links that this server keeps, in memory: each lives for minutes, and a restart costs a scan.
 * Each step happens in one turn of the event loop, so nobody takes the same step twice.
 * @param onChange called with the id of a link that changed
 * @param now epoch ms
 */
function createPendingLinks(options: { onChange: (id: string) => void; now?: () => number }) {
  const { onChange, now = Date.now } = options
  const links = new Map<string, DeviceLink>()

  /** Ended links stay for a while, so that whoever comes late learns why. */
  function sweep() {
    for (const [id, { expiresAt }] of links) if (expiresAt + stepMs < now()) links.delete(id)
  }

  function change(link: DeviceLink, next: Partial<DeviceLink>): LinkOutcome {
    Object.assign(link, next)
    onChange(link.id)
    return { link: { ...link } }
  }

  function findEnd({ state, expiresAt }: DeviceLink): LinkRefusal | undefined {
    switch (state) {
      case 'used':
        return 'device_link_used'
      case 'refused':
        return 'device_link_refused'
      case 'cancelled':
        return 'device_link_cancelled'
      case 'waiting':
      case 'scanned':
      case 'approved':
        return expiresAt <= now() ? 'device_link_expired' : undefined
      default:
        return unreachable(state)
    }
  }

  function take(link: DeviceLink, step: LinkStep): LinkOutcome {
    // For a while a used link can still be seen: the device whose answer got lost asks again.
    const isJustUsed = link.state === 'used' && link.expiresAt > now()
    if (step.kind === 'view' && isJustUsed) return { link: { ...link } }
    const refusal = findEnd(link)
    if (refusal) return { refusal }
    switch (step.kind) {
      case 'view':
        return { link: { ...link } }
      case 'scan':
        if (link.by && link.by.userId !== step.by.userId) return { refusal: 'device_link_used' }
        if (link.state === 'approved') return { link: { ...link } }
        return change(link, { state: 'scanned', by: step.by, expiresAt: now() + stepMs })
      case 'decide':
        if (link.by?.userId !== step.userId) return { refusal: 'device_link_unknown' }
        if (link.state !== 'scanned') return { refusal: 'device_link_used' }
        if (!step.isAllowed) return change(link, { state: 'refused' })
        return change(link, {
          state: 'approved',
          finalChallenge: newSecret(),
          sessionId: randomUUID(),
          ...(step.handedKeys && { handedKeys: step.handedKeys }),
          expiresAt: now() + stepMs,
        })
      case 'cancel':
        return change(link, { state: 'cancelled' })
      case 'use':
        if (link.state !== 'approved') return { refusal: 'device_link_not_approved' }
        return change(link, { state: 'used' })
      default:
        return unreachable(step)
    }
  }

  return {
    has: (id: string) => links.has(id),

    /**
     * The same again for a device whose answer got lost, as long as nobody has scanned its code.
     * @returns undefined when there is no room (P12), or the same key was used before
     */
    begin(given: Pick<DeviceLink, 'id' | 'publicKey' | 'agreement' | 'device' | 'address'>) {
      sweep()
      const before = links.get(given.id)
      const isRepeated = before?.publicKey === given.publicKey && before.state === 'waiting'
      if (isRepeated && findEnd(before) === undefined) return { ...before }
      const isOpen = (link: DeviceLink) => findEnd(link) === undefined
      const ofNetwork = [...links.values()].filter(({ address }) => address === given.address)
      const isFull = links.size >= keptMax || ofNetwork.filter(isOpen).length >= openPerNetworkMax
      if (isFull || links.has(given.id)) return undefined
      const startedAt = now()
      const link: DeviceLink = {
        ...given,
        device: given.device.slice(0, deviceMaxLength),
        startedAt,
        expiresAt: startedAt + stepMs,
        state: 'waiting',
        challenge: newSecret(),
      }
      links.set(link.id, link)
      return { ...link }
    },

    take(step: LinkStep): LinkOutcome {
      const link = links.get(step.id)
      return link ? take(link, step) : { refusal: 'device_link_unknown' }
    },
  }
}

function newSecret(): string {
  return randomBytes(32).toString('base64url')
}

export type DeviceLink = z.infer<typeof deviceLink>

type LinkRefusal = (typeof linkRefusals)[number]

type LinkStep = z.infer<typeof linkStep>

export type LinkOutcome = z.infer<typeof linkOutcome>
