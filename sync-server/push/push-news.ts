import { LRUCache } from 'lru-cache'
import { pushLimits } from '../../schema/api/push.ts'
import { atMost } from '../lib/at-most.ts'
import type { SharedFronts } from '../realtime/shared-fronts.ts'
import type { PushClock, PushEntry, PushQueue } from './push-queue.ts'
import type { PushSubscriptions } from './push-subscriptions.ts'

/** New messages of one chat, for all devices of their recipient. */
export type News = Omit<PushEntry, 'device'> & { userId: string }

/** Recipients whose devices are being looked up. */
const lookUpsAtOnce = 4
const newsMax = 10_000
/**
 * A device that vanished while its person looked at it is noticed this much later: its ping, and
 * the next.
 */
const watchedForMs = 60_000

/** Who has written to which person, and in which group. */
export interface NewMessage {
  _id: string
  senderId: string
  recipientId: string
  groupId?: string
  /** Does it name the recipient? Then muting keeps it from nobody. */
  isMention?: boolean
}

/**
 * Takes new messages to the queue, beside their way and never in it: `note` only puts them aside.
 * What its person seemed to look at is remembered for a minute, and pushed if nobody looks then.
 */
export function createPushNews(options: {
  subscriptions: Pick<PushSubscriptions, 'listOf'>
  queue: Pick<PushQueue, 'add'>
  fronts: SharedFronts
  clock: PushClock
  onError: (error: unknown) => void
}) {
  const { subscriptions, queue, fronts, clock, onError } = options
  const aside = new Map<string, News>()
  const looking = { count: 0 }
  const state = { isClosed: false }
  const watched = new LRUCache<string, Map<string, News>>(atMost(newsMax))

  function record(message: NewMessage) {
    const { _id, senderId, recipientId, groupId, isMention = false } = message
    add({
      userId: recipientId,
      peerId: groupId ?? senderId,
      messageIds: [_id],
      ...(isMention && { mentionIds: [_id] }),
      count: 1,
      queuedAt: clock.now(),
    })
  }

  function add(news: News) {
    const key = `${news.userId} ${news.peerId}`
    const before = aside.get(key)
    // A hint, like every push: what there is no room for arrives by replication.
    if (state.isClosed || (!before && aside.size >= newsMax)) return
    aside.set(key, before ? joinNews(before, news) : news)
    lookUp()
  }

  function lookUp() {
    for (const [key, news] of aside) {
      if (looking.count >= lookUpsAtOnce) return
      aside.delete(key)
      looking.count += 1
      give(news)
        .catch(onError)
        .finally(() => {
          looking.count -= 1
          lookUp()
        })
    }
  }

  async function give(news: News) {
    const devices = await subscriptions.listOf(news.userId)
    if (devices.length === 0) return
    if (await fronts.has(news.userId)) return keepWatched(news)
    const { userId, ...rest } = news
    for (const device of devices) queue.add({ ...rest, device })
  }

  function keepWatched(news: News) {
    const own = watched.get(news.userId) ?? new Map<string, News>()
    const before = own.get(news.peerId)
    own.set(news.peerId, before ? joinNews(before, news) : news)
    watched.set(news.userId, own)
  }

  const stopListening = fronts.onLeft((userId) => {
    const own = watched.get(userId)
    watched.delete(userId)
    for (const news of own?.values() ?? []) {
      if (clock.now() - news.queuedAt <= watchedForMs) add(news)
    }
  })

  return {
    record,
    count: () => aside.size,
    close() {
      state.isClosed = true
      stopListening()
      aside.clear()
      watched.clear()
    },
  }
}

interface Counted {
  messageIds: readonly string[]
  mentionIds?: readonly string[]
  count: number
  queuedAt: number
  isRead?: true
}

/** The news of both in one, the later last; a message that both name counts once. */
export function joinNews<T extends Counted>(before: T, after: T): T {
  const fresh = after.messageIds.filter((id) => !before.messageIds.includes(id))
  const isFirst = before.messageIds.length === 0 && fresh.length > 0
  const mentionIds = [...new Set([...(before.mentionIds ?? []), ...(after.mentionIds ?? [])])]
  return {
    ...before,
    ...after,
    ...(mentionIds.length > 0 && { mentionIds: mentionIds.slice(-pushLimits.messageIdsMax) }),
    messageIds: [...before.messageIds, ...fresh].slice(-pushLimits.messageIdsMax),
    count: before.count + after.count - (after.messageIds.length - fresh.length),
    queuedAt: isFirst ? after.queuedAt : before.queuedAt,
  }
}
