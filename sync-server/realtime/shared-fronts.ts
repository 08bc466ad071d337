import { randomUUID } from 'node:crypto'
import * as z from 'zod/mini'
import type { ServerLink } from '../cluster/server-link.ts'
import type { Fronts } from './fronts.ts'

const question = z.object({ id: z.string(), userId: z.string() })
const answer = z.object({ id: z.string(), isFront: z.boolean() })
const left = z.object({ userId: z.string() })

/** A server that does not answer by then has nobody in front: one push too many, none too few. */
const answersDueWithinMs = 1_000

/** The people a push would disturb, on any server. */
export interface SharedFronts {
  has(userId: string): Promise<boolean>
  onLeft(listener: (userId: string) => void): () => void
  close(): void
}

/**
 * Asks the other servers that a person is connected to, each time: nothing is kept that could be
 * out of date.
 * @param findServers ids of the other servers that a person is connected to
 * @param answersWithinMs replaces the second that they have to answer
 */
export function shareFronts(options: {
  fronts: Fronts
  link: ServerLink | undefined
  findServers: (userId: string) => string[]
  answersWithinMs?: number
}): SharedFronts {
  const { fronts, link, findServers, answersWithinMs = answersDueWithinMs } = options
  if (!link) return { has: async (id) => fronts.has(id), onLeft: fronts.onLeft, close() {} }
  const waiting = new Map<string, (isFront: boolean) => void>()
  const listeners = new Set<(userId: string) => void>()

  function ask(serverId: string, userId: string): Promise<boolean> {
    const id = randomUUID()
    return new Promise((resolve) => {
      const end = (isFront: boolean) => {
        clearTimeout(timer)
        waiting.delete(id)
        resolve(isFront)
      }
      const timer = setTimeout(() => end(false), answersWithinMs).unref()
      waiting.set(id, end)
      link?.tell(serverId, 'front-ask', { id, userId })
    })
  }

  const stopListening = [
    link.listen('front-ask', (data, from) => {
      const { id, userId } = question.parse(data)
      link.tell(from, 'front-answer', { id, isFront: fronts.has(userId) })
    }),
    link.listen('front-answer', (data) => {
      const { id, isFront } = answer.parse(data)
      waiting.get(id)?.(isFront)
    }),
    link.listen('front-left', (data) => {
      const { userId } = left.parse(data)
      for (const listener of listeners) listener(userId)
    }),
    fronts.onLeft((userId) => {
      for (const listener of listeners) listener(userId)
      link.publish('front-left', { userId })
    }),
  ]

  return {
    async has(userId) {
      if (fronts.has(userId)) return true
      const answers = findServers(userId).map((serverId) => ask(serverId, userId))
      return (await Promise.all(answers)).some(Boolean)
    },
    onLeft(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    close() {
      for (const stop of stopListening) stop()
      for (const end of [...waiting.values()]) end(false)
      listeners.clear()
    },
  }
}
