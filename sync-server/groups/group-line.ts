import { LRUCache } from 'lru-cache'
import { isToldByParts, toGroupAnswer, toGroupPart } from '../../schema/api/groups.ts'
import type { ServerEvent } from '../../schema/api/socket-events.ts'
import type { GroupDocument } from '../../schema/group.ts'
import { atMost } from '../lib/at-most.ts'
import type { Connections } from '../realtime/connections.ts'
import { nameGroupDatabase, nameGroupOrderDatabase } from '../storage/documents/database-names.ts'
import { type Document, withoutRev } from '../storage/documents/documents.ts'
import type { News, Signals } from '../storage/documents/signals.ts'
import { findReadable, joinGroup, type StoredGroupMessage } from './group-documents.ts'

type Changed = Extract<ServerEvent, { event: 'group-changed' }>['data']

/** Devices ask for anything larger. */
const frameMaxCharacters = 32 * 1024
/** Writes that nobody was told of yet; what came before is asked for. */
const documentsKept = 200
const groupsRemembered = 10_000
/** Where members read it differently, how often a document may be looked at for one of them: some milliseconds. */
const looksMax = 10_000

const groupPrefix = nameGroupDatabase('')
const orderPrefix = nameGroupOrderDatabase('')

/** What was written in a group since its members were last told. */
interface Untold {
  from: number
  to: number
  /** The newest version of each document, in the order of their last change. */
  docs: Map<string, Document>
}

/**
 * Tells the devices of members what was written in their group, from memory: who has all before it
 * asks for nothing (P7). Whoever may read more or less from then on is only told to ask.
 */
export function createGroupLine(options: {
  signals: Pick<Signals, 'subscribe'>
  connections: Pick<Connections, 'tell' | 'tellBest' | 'has'>
  find: (groupId: string) => Promise<GroupDocument | undefined>
  onError: (error: unknown) => void
}) {
  const { signals, connections, find, onError } = options
  const untold = new LRUCache<string, Untold>(atMost(groupsRemembered))
  /** Who was told last, and so has what was written at the same moment. */
  const lastTold = new LRUCache<string, ReadonlySet<string>>(atMost(groupsRemembered))

  function record(name: string, seq: unknown, news: News | undefined) {
    if (!name.startsWith(groupPrefix) || name.startsWith(orderPrefix)) return
    if (!news || typeof seq !== 'number' || typeof news.from !== 'number') {
      untold.delete(name)
      return
    }
    const before = untold.get(name)
    const isNext = before?.to === news.from && before.docs.size < documentsKept
    const next = isNext ? before : { from: news.from, to: seq, docs: new Map<string, Document>() }
    next.to = seq
    for (const doc of news.docs) {
      next.docs.delete(doc._id)
      next.docs.set(doc._id, withoutRev(doc))
    }
    untold.set(name, next)
  }

  signals.subscribe(record)

  const hintOf = (groupId: string): ServerEvent => ({ event: 'group-changed', data: { groupId } })

  /** Something new, to be asked for. */
  function hint(groupId: string, userIds: Iterable<string>) {
    for (const userId of userIds) connections.tell(userId, hintOf(groupId))
  }

  /** @returns only that there is something, where a device has to ask for it */
  function write(
    group: GroupDocument,
    { from, to, docs }: Untold,
    asked: {
      show: (doc: StoredGroupMessage) => Document | undefined
      /** Its record, or a part of it. */
      record: Pick<NonNullable<Changed['changes']>, 'group' | 'part'>
    },
  ): string {
    const { show, record } = asked
    const shown: Changed['changes'] = { from, to, docs: [] }
    for (const [id, doc] of docs) {
      if (id === group._id) Object.assign(shown, record)
      else {
        const message = show(doc as unknown as StoredGroupMessage)
        if (message) shown.docs.push({ ...message })
      }
    }
    const data: Changed = { groupId: group._id, changes: shown }
    const text = JSON.stringify({ event: 'group-changed', data })
    return text.length <= frameMaxCharacters ? text : JSON.stringify(hintOf(group._id))
  }

  function carry(group: GroupDocument, { news, asking }: { news: Untold; asking: Set<string> }) {
    const { _id: groupId, members } = group
    const newest = members.reduce((latest, { from }) => Math.max(latest, from), 0)
    const messages = [...news.docs.values()].filter(({ _id }) => _id !== groupId)
    const isForAll = (messages as unknown as StoredGroupMessage[]).every(
      ({ orderedAt }) => orderedAt >= newest,
    )
    const present = members.filter(({ userId }) => connections.has(userId))
    if (!isForAll && messages.length * present.length > looksMax) {
      hint(
        groupId,
        present.map(({ userId }) => userId),
      )
      return
    }
    const isLarge = isToldByParts(group) && news.docs.has(groupId)
    const part = isLarge ? toGroupPart(group) : undefined
    const texts = new Map<string, string>()
    for (const { userId } of present) {
      const key = isForAll ? '' : userId
      const writeFor = (isPart: boolean) => () => {
        const name = `${key} ${isPart}`
        const known = texts.get(name)
        if (known !== undefined) return known
        const text = write(group, news, {
          show: (doc) => findReadable(group, userId, doc),
          record: isPart ? { part } : { group: toGroupAnswer(group) },
        })
        texts.set(name, text)
        return text
      }
      if (asking.has(userId)) hint(groupId, [userId])
      else {
        connections.tellBest(userId, [
          ...(part ? [['group-parts', writeFor(true)] as const] : []),
          ['groups', writeFor(false)],
        ])
      }
    }
  }

  async function tell(groupId: string, asking: Set<string>) {
    const found = await find(groupId)
    const name = nameGroupDatabase(groupId)
    const news = untold.get(name)
    untold.delete(name)
    // What was written while it was read stands beside it in the news, and may be a removal.
    const told = news?.docs.get(groupId) as unknown as GroupDocument | undefined
    const group = told ? joinGroup(told, found && { place: found.lastPlace }) : found
    const members = new Set(group?.members.map(({ userId }) => userId))
    hint(
      groupId,
      [...asking].filter((userId) => !members.has(userId)),
    )
    if (!group) return
    if (news) carry(group, { news, asking })
    // Written together with what another has told of; who came in between was not told.
    else {
      const before = lastTold.get(name)
      hint(
        groupId,
        [...members].filter((userId) => asking.has(userId) || !before?.has(userId)),
      )
    }
    lastTold.set(name, members)
  }

  return {
    hint,
    /**
     * Tells of what was just written.
     * @param asking who may read more or less of the group after it: they have to ask
     */
    tell(groupId: string, asking: Iterable<string> = []): void {
      const all = new Set(asking)
      tell(groupId, all).catch((error: unknown) => {
        hint(groupId, all)
        onError(error)
      })
    },
  }
}
