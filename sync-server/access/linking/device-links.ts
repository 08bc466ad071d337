import { randomUUID } from 'node:crypto'
import * as z from 'zod/mini'
import type { ServerLink } from '../../cluster/server-link.ts'
import {
  type DeviceLink,
  type LinkOutcome,
  type LinkStep,
  linkOutcome,
  linkStep,
} from './device-link.ts'
import { createLinkWaiters } from './link-waiters.ts'
import { createPendingLinks } from './pending-links.ts'

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
 */
export function createDeviceLinks(options: {
  link?: ServerLink | undefined
  now?: (() => number) | undefined
}) {
  const { link, now = Date.now } = options
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
      const timer = setTimeout(finish, answerDueWithinMs, { refusal: 'device_link_unknown' })
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
