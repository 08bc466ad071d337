import { once } from 'node:events'
import { Agent } from 'node:http'
import { v7 as createId } from 'uuid'
import WebSocket from 'ws'
import {
  bearerProtocolPrefix,
  type ServerEvent,
  socketProtocol,
  understandsProtocolPrefix,
} from '../../../../schema/api/socket-events.ts'
import type { Account } from '../../server/server-accounts.ts'
import { askServer, type LoadCounts } from './load-connection.ts'
import { createMarkRaiser } from './mark-raiser.ts'

export type GroupDevice = Awaited<ReturnType<typeof createGroupDevice>>

interface Answer {
  groups: { _id: string; results: { doc: Doc }[]; last_seq: number | string }[]
}

type GroupChanged = Extract<ServerEvent, { event: 'group-changed' }>['data']

interface Doc {
  _id: string
  senderId: string
  orderedAt: number
}

/**
 * A member's traffic as the app has it, without its storage: it takes what the line brings, asks after a hint for what is
 * new in all of its groups, one request after the other, and says what arrived and was read at the app's pace.
 */
export async function createGroupDevice(options: {
  origin: string
  account: Account
  counts: LoadCounts
  onArrived: (messageId: string) => void
  onError: (error: unknown) => void
}) {
  const { origin, account, counts, onArrived, onError } = options
  const agent = new Agent({ keepAlive: true })
  const since: Record<string, number | string> = {}
  const state = { isAsking: false, isAgain: false }
  const ask = (path: string, body: object) =>
    askServer(`${origin}${path}`, { agent, token: account.token, counts, body })

  const marks = createMarkRaiser({
    raise: (mark) => void ask('/sync/conversations/_bulk_docs', { docs: [mark] }).catch(onError),
  })

  /** Until a page is empty. */
  async function catchUp() {
    state.isAgain = true
    if (state.isAsking) return
    state.isAsking = true
    while (state.isAgain) {
      state.isAgain = false
      const { groups } = (await ask('/sync/groups/_changes', { since, limit: 500 })).body as Answer
      for (const { _id, results, last_seq } of groups) {
        since[_id] = last_seq
        for (const { doc } of results) take(_id, doc)
      }
      state.isAgain ||= groups.length > 0
    }
    state.isAsking = false
  }

  /** What follows on what it has needs no request. */
  function hear({ groupId, changes }: GroupChanged): boolean {
    const [, place, times] = /^(\d+)-(\d+)$/.exec(String(since[groupId])) ?? []
    if (!changes || state.isAsking || Number(place) !== changes.from) return false
    since[groupId] = `${changes.to}-${times}`
    for (const doc of changes.docs) take(groupId, doc as unknown as Doc)
    return true
  }

  function take(groupId: string, { _id, senderId, orderedAt }: Doc) {
    if (senderId === account.userId) return
    onArrived(_id)
    marks.arrive(groupId, orderedAt)
  }

  const socket = new WebSocket(origin.replace('http', 'ws'), [
    socketProtocol,
    `${understandsProtocolPrefix}groups`,
    `${bearerProtocolPrefix}${account.token}`,
  ])
  socket.on('error', onError)
  socket.on('message', (frame) => {
    counts.frames += 1
    const told = JSON.parse(String(frame)) as ServerEvent
    if (told.event === 'group-changed' && !hear(told.data)) catchUp().catch(onError)
  })
  await once(socket, 'open')
  await catchUp()
  return {
    catchUp,
    /** @returns the message's id, at once */
    send(groupId: string, content: string): string {
      const now = Date.now()
      const _id = createId()
      const doc = {
        ...{ _id, peerId: groupId, senderId: account.userId, recipientId: groupId, content },
        ...{ createdAt: now, orderedAt: now, status: 'sending', attempt: 1 },
      }
      ask(`/sync/groups/${groupId}/_bulk_docs`, { docs: [doc] }).catch(onError)
      return _id
    },
    close() {
      marks.close()
      agent.destroy()
      socket.terminate()
    },
  }
}
