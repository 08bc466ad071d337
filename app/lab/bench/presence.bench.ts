import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import WebSocket from 'ws'
import { bearerProtocolPrefix, socketProtocol } from '../../../schema/api/socket-events.ts'
import { must } from '../../../schema/helpers/assertions.ts'
import { startBuiltServer } from '../browser/start-built-server.ts'
import { readMetric } from '../server/read-metric.ts'
import type { Account } from '../server/server-accounts.ts'
import type { Figure } from './figures/figure.ts'
import { createLongestWait } from './figures/longest-wait.ts'
import { startBareServer } from './floors/start-bare-server.ts'
import { createCheapAccounts } from './load/cheap-accounts.ts'
import { createSocketCrowd, type SocketCrowd } from './load/socket-crowd.ts'

const people = 5_000
/** Late reports still count. */
const settlingMs = 5_000
const bytesPerKb = 1024

interface Return {
  backMs: number
  longestMs: number
  /** To one device: the mean, and the most. */
  meanBytes: number
  mostBytes: number
  processorMs: number
}

/** Five thousand people return together after a server restart. */
export async function measure(): Promise<Figure[]> {
  const crowd = createSocketCrowd(people)
  const bare = await measureBare(crowd)
  const ours = await measureOurs(crowd)
  await crowd.close()
  const what = `${people.toLocaleString('en')} people come back after a restart`
  const beside = (key: keyof Return) => [{ what: 'bare ws echo', value: bare[key] }]
  const inKb = (key: 'meanBytes' | 'mostBytes') => ({
    value: ours[key] / bytesPerKb,
    unit: 'kB' as const,
    floors: [{ what: 'bare ws echo', value: bare[key] / bytesPerKb }],
  })
  return [
    {
      what: `${what}: all are connected and told`,
      value: ours.backMs,
      unit: 'ms',
      floors: beside('backMs'),
    },
    {
      what: `${what}: longest wait of a typing frame between two devices of another`,
      value: ours.longestMs,
      unit: 'ms',
      floors: beside('longestMs'),
      target: { atMost: 1_000 },
    },
    { what: `${what}: told to one socket, mean`, ...inKb('meanBytes') },
    { what: `${what}: told to one socket, most`, ...inKb('mostBytes') },
    {
      what: `${what}: the server's processor time`,
      value: ours.processorMs,
      unit: 'ms',
      floors: beside('processorMs'),
    },
  ]
}

async function measureBare(crowd: SocketCrowd): Promise<Return> {
  const bare = await startBareServer()
  const tokens = Array<string>(people).fill('nobody')
  const echo = await openSocket(bare.origin, 'nobody')
  const frame = '{"event":"typing","data":{}}'
  const measured = await watchReturn({
    crowd,
    origin: bare.origin,
    tokens,
    talk: { from: echo, to: echo, frame, answer: 'typing' },
    readProcessor: async () => Number(await (await fetch(`${bare.origin}/processor`)).text()),
  })
  echo.terminate()
  await bare.close()
  return measured
}

async function measureOurs(crowd: SocketCrowd): Promise<Return> {
  const server = await startBuiltServer()
  const { origin } = server
  await server.kill()
  const [ann, ...others] = await createCheapAccounts(server.dataDir, people + 1)
  const tokens = others.map(({ token }) => token)
  await server.start()
  await crowd.connect(origin, tokens)
  await server.kill()
  await server.start()

  // To others the server tells no more of it than the app says.
  const [from, to] = [await signIn(origin, ann), await signIn(origin, ann)]
  const recipientId = must(ann, 'Ann').userId
  const frame = JSON.stringify({ event: 'typing', data: { recipientId } })
  const measured = await watchReturn({
    crowd,
    origin,
    tokens,
    talk: { from, to, frame, answer: 'user-typing' },
    readProcessor: () => readMetric(origin, 'process_cpu_seconds_total'),
  })
  for (const socket of [from, to]) socket.terminate()
  await server.close()
  return measured
}

async function watchReturn(options: {
  crowd: SocketCrowd
  origin: string
  tokens: readonly string[]
  talk: Parameters<typeof createLongestWait>[0]
  readProcessor: () => Promise<number>
}): Promise<Return> {
  const { crowd, origin, tokens, talk, readProcessor } = options
  const before = await readProcessor()
  const wait = createLongestWait(talk)
  const start = performance.now()
  await crowd.connect(origin, tokens)
  const backMs = performance.now() - start
  await pause(settlingMs)
  const longestMs = await wait.stop()
  const processorMs = ((await readProcessor()) - before) * 1_000
  const { open, bytes } = await crowd.report()
  if (open !== tokens.length) throw new Error(`${tokens.length - open} sockets were lost`)
  const meanBytes = bytes.reduce((sum, one) => sum + one, 0) / bytes.length
  return { backMs, longestMs, meanBytes, mostBytes: Math.max(...bytes), processorMs }
}

const signIn = (origin: string, person: Account | undefined) =>
  openSocket(origin, must(person, 'a person').token)

async function openSocket(origin: string, token: string): Promise<WebSocket> {
  const protocols = [socketProtocol, `${bearerProtocolPrefix}${token}`]
  const socket = new WebSocket(origin.replace('http', 'ws'), protocols)
  await once(socket, 'open')
  return socket
}
