import { LRUCache } from 'lru-cache'
import type { GroupLineChange } from '../../schema/group.ts'
import { limits } from '../../schema/limits.ts'
import { RequestRefused } from '../http/core/request-refused.ts'
import { atMost } from '../lib/at-most.ts'

const peopleRemembered = 50_000

const { createdPerDay, addedPerHour, joinedPerHour } = limits.groups

/** What one person may do to groups in a time, by the refusal beyond it. */
const bounds = {
  too_many_groups: createdPerDay,
  too_many_added: addedPerHour,
  too_many_joins: joinedPerHour,
} as const
type BoundName = keyof typeof bounds

/** What was taken of a person's bounds, to be given back if nothing comes of it. */
interface TakenBounds {
  giveBack(): void
}

/**
 * Bounds how many groups a person makes, how many people they bring into groups, and how many links
 * they follow (P12). A window begins with the first one.
 * @param isOn when false, refuses nothing
 * @param now epoch ms
 */
export function createGroupBounds(options: { isOn: boolean; now: () => number }) {
  const { isOn, now } = options
  const windows = new LRUCache<string, { count: number; endsAt: number }>(atMost(peopleRemembered))

  function readWindow(name: BoundName, userId: string) {
    const key = `${name} ${userId}`
    const known = windows.get(key)
    if (known && known.endsAt > now()) return known
    const begun = { count: 0, endsAt: now() + bounds[name].windowMs }
    windows.set(key, begun)
    return begun
  }

  function takeAll(userId: string, asked: readonly (readonly [BoundName, number])[]): TakenBounds {
    if (!isOn) return { giveBack: () => undefined }
    const taken = asked.map(([name, count]) => ({
      name,
      count,
      window: readWindow(name, userId),
    }))
    const over = taken.find(({ name, count, window }) => window.count + count > bounds[name].max)
    if (over) {
      const seconds = Math.max(1, Math.ceil((over.window.endsAt - now()) / 1000))
      throw new RequestRefused(over.name, { headers: { 'retry-after': String(seconds) } })
    }
    for (const { window, count } of taken) window.count += count
    return {
      giveBack() {
        for (const { window, count } of taken) window.count -= count
      },
    }
  }

  return {
    /** @throws RequestRefused with the bound that it goes beyond: nothing was taken */
    take(userId: string, change: GroupLineChange): TakenBounds {
      switch (change.kind) {
        case 'create':
          return takeAll(userId, [
            ['too_many_groups', 1],
            ['too_many_added', change.userIds.length],
          ])
        case 'add':
          return takeAll(userId, [['too_many_added', change.userIds.length]])
        case 'join':
          return takeAll(userId, [['too_many_joins', 1]])
        default:
          return takeAll(userId, [])
      }
    },
  }
}
