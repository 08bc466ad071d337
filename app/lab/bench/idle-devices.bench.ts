import { once } from 'node:events'
import { Agent, get, type IncomingMessage } from 'node:http'
import WebSocket from 'ws'
import { must } from '../../../schema/must.ts'
import { bearerProtocolPrefix, socketProtocol } from '../../../schema/socket-events.ts'
import { startBuiltServer } from '../browser/start-built-server.ts'
import { waitUntil } from '../browser/wait-until.ts'
import type { Figure } from './figure.ts'
import { readMetric } from './read-metric.ts'
import { type Account, registerAccount } from './server-accounts.ts'
import { startBareServer } from './start-bare-server.ts'
import { waitForGarbage, waitUntilIdle, withGarbageCollected } from './wait-until-idle.ts'

const devices = 1_000
const peopleCount = 250
const warmUpDevices = 100
const bytesPerKb = 1024

/** What a connected, silent device costs the server's memory: its socket, and with its two waiting feeds. */
export async function measure(): Promise<Figure[]> {
  const floor = await measureBareSockets()
  const server = await startBuiltServer({ env: withGarbageCollected })
  const { origin } = server
  const people: Account[] = []
  for (let index = 0; index < peopleCount; index++) {
    people.push(await registerAccount(origin, `person${index}`))
  }
  // A fresh process: what signing up 250 people took is not of interest here.
  await server.kill()
  await server.start()
  const asked = await Promise.all(people.map((person) => readFeeds(origin, person)))
  const tokens = Array.from({ length: devices }, (_, index) =>
    must(people[index % peopleCount], 'a person'),
  ).map(({ token }) => token)

  const warmUp = await openSockets(origin, tokens.slice(0, warmUpDevices))
  for (const socket of warmUp) socket.terminate()
  await waitUntilIdle(origin)
  const before = await readMetric(origin, 'process_resident_memory_bytes')
  const sockets = await openSockets(origin, tokens)
  await waitUntilIdle(origin)
  const withSockets = await readMetric(origin, 'process_resident_memory_bytes')
  const openDatabases = await readMetric(origin, 'petrel_open_databases')

  const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY })
  const feeds = tokens.flatMap((token, index) =>
    must(asked[index % peopleCount], 'a person').map((url) => waitForNews(url, token, agent)),
  )
  await waitUntil('all feeds wait', async () => {
    return (await readMetric(origin, 'petrel_waiting_feeds')) === feeds.length
  })
  await waitUntilIdle(origin)
  const withFeeds = await readMetric(origin, 'process_resident_memory_bytes')
  const openWithFeeds = await readMetric(origin, 'petrel_open_databases')

  agent.destroy()
  for (const socket of sockets) socket.terminate()
  await Promise.allSettled(feeds)
  await server.close()
  const each = (bytes: number) => bytes / devices / bytesPerKb
  return [
    {
      ...{
        what: '1,000 idle sockets, memory of each',
        value: each(withSockets - before),
        unit: 'kB',
      },
      floors: [{ what: 'bare ws', value: floor }],
      target: { atMost: 30 },
    },
    {
      what: '1,000 idle devices with two waiting feeds, memory of each',
      value: each(withFeeds - before),
      unit: 'kB',
    },
    {
      what: 'open databases meanwhile',
      value: Math.max(openDatabases, openWithFeeds),
      unit: 'databases',
      target: { atMost: 0 },
    },
  ]
}

async function measureBareSockets(): Promise<number> {
  const bare = await startBareServer(withGarbageCollected)
  const readMemory = async () => Number(await (await fetch(`${bare.origin}/memory`)).text())
  const warmUp = await openSockets(bare.origin, Array(warmUpDevices).fill('nobody'))
  for (const socket of warmUp) socket.terminate()
  await waitForGarbage()
  const before = await readMemory()
  const sockets = await openSockets(bare.origin, Array(devices).fill('nobody'))
  await waitForGarbage()
  const after = await readMemory()
  for (const socket of sockets) socket.terminate()
  await bare.close()
  return (after - before) / devices / bytesPerKb
}

async function openSockets(origin: string, tokens: readonly string[]): Promise<WebSocket[]> {
  const url = origin.replace('http', 'ws')
  const sockets = tokens.map(
    (token) => new WebSocket(url, [socketProtocol, `${bearerProtocolPrefix}${token}`]),
  )
  await Promise.all(sockets.map((socket) => once(socket, 'open')))
  return sockets
}

/** The addresses at which a device of this person, which has everything, waits for news. */
async function readFeeds(origin: string, { token }: Account): Promise<string[]> {
  const headers = { authorization: `Bearer ${token}` }
  const urls = ['messages', 'conversations'].map((name) => `${origin}/sync/${name}/`)
  return Promise.all(
    urls.map(async (url) => {
      const { update_seq } = await (await fetch(url, { headers })).json()
      return `${url}_changes?feed=longpoll&since=${update_seq}`
    }),
  )
}

/** Resolves when the feed is over, or is cut. */
async function waitForNews(url: string, token: string, agent: Agent): Promise<void> {
  const sent = get(url, { agent, headers: { authorization: `Bearer ${token}` } })
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  response.resume()
  await once(response, 'end')
}
