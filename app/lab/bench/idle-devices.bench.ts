import { once } from 'node:events'
import { Agent, get, type IncomingMessage } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import WebSocket from 'ws'
import {
  bearerProtocolPrefix,
  changesProtocol,
  socketProtocol,
  understandsProtocolPrefix,
} from '../../../schema/api/socket-events.ts'
import { epochHeader } from '../../../schema/api/wire.ts'
import { must } from '../../../schema/helpers/assertions.ts'
import { type BuiltServer, startBuiltServer } from '../browser/start-built-server.ts'
import { waitUntil } from '../browser/wait-until.ts'
import { readMetric } from '../server/read-metric.ts'
import type { Account } from '../server/server-accounts.ts'
import type { Figure } from './figures/figure.ts'
import { startBareServer } from './floors/start-bare-server.ts'
import { createCheapAccounts } from './load/cheap-accounts.ts'
import { waitForGarbage, waitUntilIdle, withGarbageCollected } from './load/wait-until-idle.ts'

const devices = 1_000
const peopleCount = 250
const warmUpDevices = 100
const warmUpMs = 5_000
/** Each feed is renewed every 25 s: some are always in transit. */
const nearlyAll = 0.95
const bytesPerKb = 1024

/** Two pings, and as many reported places. */
const restMs = 50_000

/**
 * What a silent connected device costs the server: its socket, the line on it, and, alternatively,
 * two waiting feeds.
 */
export async function measure(): Promise<Figure[]> {
  const floor = await measureBareSockets()
  const server = await startBuiltServer({ env: withGarbageCollected })
  await server.kill()
  const people = await createCheapAccounts(server.dataDir, peopleCount)
  // A fresh process, without the cost of signing up 250 people.
  await server.start()
  const { origin } = server
  const places = await Promise.all(people.map((person) => readPlaces(origin, person)))
  const all: IdleDevice[] = Array.from({ length: devices }, (_, index) => ({
    ...must(people[index % peopleCount], 'a person'),
    places: must(places[index % peopleCount], 'places'),
  }))

  const warmUp = await openSockets(origin, all.slice(0, warmUpDevices))
  for (const socket of warmUp) socket.terminate()
  await waitUntilIdle(origin)
  const readMemory = () => readMetric(origin, 'process_resident_memory_bytes')
  const readOpen = () => readMetric(origin, 'petrel_open_databases')
  const before = await readMemory()
  const sockets = await openSockets(origin, all)
  await waitUntilIdle(origin)
  const withSockets = await readMemory()
  await followAll(sockets, all)
  await waitUntilIdle(origin)
  const withLines = await readMemory()
  const openDatabases = await readOpen()
  const each = (bytes: number) => bytes / devices / bytesPerKb
  // Long steps report their progress.
  console.error(`sockets ${each(withSockets - before)} kB, lines ${each(withLines - before)} kB`)

  const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY })
  const waiting = { agent, isOver: false }
  const feeds = all.flatMap(({ token, places: own }) =>
    own.map((place) => waitForNews(place.feedUrl, token, waiting)),
  )
  await waitUntil(
    'nearly all feeds wait',
    async () => {
      return (await readMetric(origin, 'petrel_waiting_feeds')) >= nearlyAll * feeds.length
    },
    120_000,
  )
  await waitUntilIdle(origin)
  const withFeeds = await readMemory()
  const openWithFeeds = await readOpen()
  waiting.isOver = true
  agent.destroy()
  for (const socket of sockets) socket.terminate()
  await Promise.allSettled(feeds)

  const rest = await measureRest(server, all)
  await server.close()
  const floors = [{ what: 'bare ws', value: floor }]
  return [
    {
      what: '1,000 idle sockets, memory of each',
      value: each(withSockets - before),
      unit: 'kB',
      floors,
      target: { atMost: 50 },
    },
    {
      what: '1,000 idle devices, each with its line, memory of each',
      value: each(withLines - before),
      unit: 'kB',
      floors,
      target: { atMost: 50 },
    },
    {
      what: '1,000 idle devices with two waiting feeds beside it, memory of each',
      value: each(withFeeds - before),
      unit: 'kB',
    },
    {
      what: '1,000 idle devices, each with its line, processor',
      value: rest.withLines,
      unit: '% of a core',
      floors: [{ what: 'no device', value: rest.alone }],
      target: { atMost: rest.alone + 0.5 },
    },
    {
      what: 'open databases meanwhile',
      value: Math.max(openDatabases, openWithFeeds),
      unit: 'databases',
      target: { atMost: 0 },
    },
  ]
}

/**
 * Without the per-second garbage collections of the memory measurement, which take a processor too.
 */
async function measureRest(server: BuiltServer, all: readonly IdleDevice[]) {
  const { origin } = server
  await server.kill()
  await server.start({ NODE_OPTIONS: '' })
  const readSeconds = () => readMetric(origin, 'process_cpu_seconds_total')
  async function measurePercent() {
    const [before, begunAt] = [await readSeconds(), performance.now()]
    await pause(restMs)
    const seconds = (await readSeconds()) - before
    return (seconds / ((performance.now() - begunAt) / 1000)) * 100
  }
  await pause(warmUpMs)
  const alone = await measurePercent()
  const sockets = await openSockets(origin, all)
  await followAll(sockets, all)
  await pause(warmUpMs)
  const withLines = await measurePercent()
  for (const socket of sockets) socket.terminate()
  return { alone, withLines }
}

async function measureBareSockets(): Promise<number> {
  const bare = await startBareServer(withGarbageCollected)
  const readMemory = async () => Number(await (await fetch(`${bare.origin}/memory`)).text())
  const warmUp = await openSockets(bare.origin, Array(warmUpDevices).fill({ token: 'nobody' }))
  for (const socket of warmUp) socket.terminate()
  await waitForGarbage()
  const before = await readMemory()
  const sockets = await openSockets(bare.origin, Array(devices).fill({ token: 'nobody' }))
  await waitForGarbage()
  const after = await readMemory()
  for (const socket of sockets) socket.terminate()
  await bare.close()
  return (after - before) / devices / bytesPerKb
}

async function openSockets(
  origin: string,
  owners: readonly Pick<Account, 'token'>[],
): Promise<WebSocket[]> {
  const url = origin.replace('http', 'ws')
  const words = `${understandsProtocolPrefix}presence-changes`
  const offered = [changesProtocol, socketProtocol, words]
  const sockets = owners.map(
    ({ token }) => new WebSocket(url, [...offered, `${bearerProtocolPrefix}${token}`]),
  )
  await Promise.all(sockets.map((socket) => once(socket, 'open')))
  return sockets
}

/** Resolves when the server has confirmed each device's place in both databases. */
async function followAll(sockets: readonly WebSocket[], all: readonly IdleDevice[]) {
  await Promise.all(
    sockets.map(async (socket, index) => {
      const { places } = must(all[index], 'a device')
      for (const { database, since, epoch } of places) {
        const data = { database, since, epoch }
        socket.send(JSON.stringify({ event: 'follow-changes', data }))
      }
      for (;;) {
        const [frame] = await once(socket, 'message')
        const { event, data } = JSON.parse(String(frame))
        if (event === 'changes-missed') throw new Error('A device has missed something.')
        if (event !== 'here') continue
        if (places.every(({ database, since }) => data[database] === since)) return
      }
    }),
  )
}

interface Place {
  database: 'messages' | 'conversations'
  since: number
  epoch: string | undefined
  /** The place after which a polling device waits for changes. */
  feedUrl: string
}

interface IdleDevice extends Account {
  places: readonly Place[]
}

/** The place of this person's device that has everything. */
async function readPlaces(origin: string, { token }: Account): Promise<Place[]> {
  const headers = { authorization: `Bearer ${token}` }
  return Promise.all(
    (['messages', 'conversations'] as const).map(async (database) => {
      const url = `${origin}/sync/${database}/`
      const response = await fetch(url, { headers })
      const { update_seq: since } = await response.json()
      const epoch = response.headers.get(epochHeader) ?? undefined
      return { database, since, epoch, feedUrl: `${url}_changes?feed=longpoll&since=${since}` }
    }),
  )
}

/** Resolves when the feed ends, or is cut at the end. */
async function waitForNews(url: string, token: string, feeds: { agent: Agent; isOver: boolean }) {
  while (!feeds.isOver) {
    try {
      const { agent } = feeds
      const sent = get(url, { agent, headers: { authorization: `Bearer ${token}` } })
      const [response] = (await once(sent, 'response')) as [IncomingMessage]
      if (response.statusCode !== 200) throw new Error(`${url}: ${response.statusCode}`)
      response.resume()
      await once(response, 'end')
    } catch (error) {
      // Two thousand simultaneous connections overload a busy machine: refused ones retry.
      if ((error as NodeJS.ErrnoException).code !== 'ECONNRESET') throw error
    }
  }
}
