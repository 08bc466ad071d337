import { once } from 'node:events'
import { Agent } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import WebSocket from 'ws'
import {
  bearerProtocolPrefix,
  changesProtocol,
  type ReplicatedDatabase,
  type ServerEvent,
  socketProtocol,
  understandsProtocolPrefix,
} from '../../../../schema/api/socket-events.ts'
import { epochHeader } from '../../../../schema/api/wire.ts'
import { createDeferred } from '../../../../schema/helpers/deferred.ts'
import { createPushLine } from '../../../sync/replication/transport/push-line.ts'
import { askServer, type LoadAnswer } from './load-connection.ts'
import type { DeviceOptions, LoadDevice } from './load-device-types.ts'
import { createMarkRaiser } from './mark-raiser.ts'

type Changes = Extract<ServerEvent, { event: 'changes' }>['data']
type Doc = Changes['docs'][number]

const databases = ['messages', 'conversations'] as const
const followEveryMs = 200
const pageRows = 1_000

/**
 * The app's replication traffic without its storage: pushes all waiting documents to `/sync`
 * together, one push after the other, over the line as the app's own code does; receives changes
 * over the line. Requests whatever the line does not bring.
 */
export async function createAppDevice(
  options: DeviceOptions & { givesReceipts: boolean },
): Promise<LoadDevice> {
  const { origin, account, counts, onArrived, onError, givesReceipts } = options
  const agent = new Agent({ keepAlive: true })
  const places = new Map<ReplicatedDatabase, { at: Changes['from']; epoch: string | undefined }>()
  const asking = new Set<ReplicatedDatabase>()
  const followedAt = new Map<ReplicatedDatabase, number>()
  const url = (database: ReplicatedDatabase) => `${origin}/sync/${database}/`
  const ask = (address: string, body?: unknown): Promise<LoadAnswer> =>
    askServer(address, { agent, token: account.token, counts, ...(body ? { body } : {}) })

  const pushes = createPushLine({
    send(event) {
      if (socket.readyState !== WebSocket.OPEN) return false
      socket.send(JSON.stringify(event))
      return true
    },
    async fetch(address, init) {
      const { body } = await ask(String(address), JSON.parse(String(init?.body)))
      return Response.json(body, { status: 201 })
    },
    now: Date.now,
  })
  const push = {
    messages: createParcels<object>((docs) => pushDocs('messages', docs)),
    conversations: createParcels<object>((docs) => pushDocs('conversations', docs)),
  }
  const marks = createMarkRaiser({
    raise: (conversation) => push.conversations.add(conversation._id, conversation).catch(onError),
  })

  async function pushDocs(database: ReplicatedDatabase, docs: readonly object[]) {
    const body = JSON.stringify({ docs })
    const response = await pushes.fetch(`${url(database)}_bulk_docs`, { method: 'POST', body })
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
    // A conversation raised meanwhile comes back by the line.
    const refused = ((await response.json()) as { error?: string }[]).find(
      ({ error }) => error !== undefined && error !== 'conflict',
    )
    if (refused) throw new Error(JSON.stringify(refused))
  }

  function take(database: ReplicatedDatabase, docs: readonly Doc[]) {
    for (const doc of docs) {
      if (database === 'conversations') marks.know(doc)
      else if (doc.senderId === doc.peerId) {
        onArrived(doc._id)
        if (givesReceipts) marks.arrive(String(doc.peerId), Number(doc.orderedAt))
      }
    }
  }

  function follow(database: ReplicatedDatabase) {
    const place = places.get(database)
    followedAt.set(database, performance.now())
    const data = { database, since: place?.at, epoch: place?.epoch }
    socket.send(JSON.stringify({ event: 'follow-changes', data }))
  }

  /** Like a device: requests changes that the line lacks, then follows from there. */
  async function catchUp(database: ReplicatedDatabase) {
    if (asking.has(database)) return
    asking.add(database)
    const waitMs = (followedAt.get(database) ?? Number.NEGATIVE_INFINITY) + followEveryMs
    if (waitMs > performance.now()) await pause(waitMs - performance.now())
    for (let isAll = false; !isAll; ) {
      const since = places.get(database)?.at ?? 0
      const { body, headers } = await ask(
        `${url(database)}_changes?feed=normal&include_docs=true&limit=${pageRows}&since=${since}`,
      )
      const { results, last_seq } = body as { results: { doc: Doc }[]; last_seq: Changes['from'] }
      places.set(database, { at: last_seq, epoch: headers[epochHeader]?.toString() })
      take(
        database,
        results.map(({ doc }) => doc),
      )
      isAll = results.length < pageRows
    }
    asking.delete(database)
    follow(database)
  }

  function handle({ event, data }: ServerEvent) {
    if (event === 'changes-missed') catchUp(data.database).catch(onError)
    if (event !== 'changes' || asking.has(data.database)) return
    const place = places.get(data.database)
    if (place?.at !== data.from) {
      catchUp(data.database).catch(onError)
      return
    }
    place.at = data.to
    take(data.database, data.docs)
  }

  const socket = new WebSocket(origin.replace('http', 'ws'), [
    changesProtocol,
    socketProtocol,
    `${understandsProtocolPrefix}pushes`,
    `${bearerProtocolPrefix}${account.token}`,
  ])
  socket.on('error', onError)
  // The server's first words come with its consent.
  socket.on('message', (frame) => {
    counts.frames += 1
    const event = JSON.parse(String(frame))
    pushes.recordFrame()
    pushes.handle(event)
    handle(event)
  })
  socket.on('close', pushes.forget)
  await once(socket, 'open')
  for (const database of databases) await catchUp(database)
  return {
    send({ id, recipientId, content }) {
      const now = Date.now()
      return push.messages.add(id, {
        _id: id,
        peerId: recipientId,
        senderId: account.userId,
        recipientId,
        content,
        createdAt: now,
        orderedAt: now,
        status: 'sending',
        attempt: 1,
      })
    },
    close() {
      marks.close()
      agent.destroy()
      socket.terminate()
    },
  }
}

/** Sends waiting items together, one parcel after the other; of equal keys only the last. */
function createParcels<Item>(send: (items: readonly Item[]) => Promise<void>) {
  let waiting = new Map<string, Item>()
  let next = createDeferred<void>()
  let isSending = false

  async function run() {
    isSending = true
    while (waiting.size > 0) {
      const [items, sent] = [[...waiting.values()], next]
      waiting = new Map()
      next = createDeferred<void>()
      await send(items).then(sent.resolve, sent.reject)
    }
    isSending = false
  }

  return {
    /** Resolves when it was sent. */
    add(key: string, item: Item): Promise<void> {
      waiting.set(key, item)
      const { promise } = next
      // Items added in one moment go together.
      if (!isSending) {
        isSending = true
        queueMicrotask(() => void run())
      }
      return promise
    },
  }
}
