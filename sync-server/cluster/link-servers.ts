import { createHash, randomUUID } from 'node:crypto'
import { EventEmitter } from 'node:events'
import { Redis, type RedisOptions } from 'ioredis'
import * as z from 'zod/mini'
import type { Log } from '../lib/log.ts'
import type { ServerLink } from './server-link.ts'

const beatEveryMs = 2_000

const beatDueWithinMs = 6_000

const retryMaxMs = 1_000

const envelope = z.object({ from: z.string(), topic: z.string(), data: z.unknown() })

/** Do not retry a lost command: after every reconnect the servers query each other again. */
const redisOptions: RedisOptions = {
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  autoResubscribe: false,
  autoResendUnfulfilledCommands: false,
  connectTimeout: 5_000,
  disableClientInfo: true,
  retryStrategy: (tries) => Math.min(tries * 50, retryMaxMs),
}

/** Links the servers that share a token secret, through a Redis; logs when they lose each other. */
export function linkServers(options: { url: string; secret: string; log: Log }): ServerLink {
  const { url, secret, log } = options
  const link = createRedisLink({
    url,
    group: createHash('sha256').update(`petrel link ${secret}`).digest('base64url').slice(0, 16),
    onError: (error) => log.error({ err: error }, 'what another server said was not understood'),
  })
  link.onTurn((isUp) => {
    if (isUp) log.info('linked to the other servers')
    else log.warn('Redis does not answer: what other servers write is looked for now and then')
  })
  return link
}

/**
 * Links servers by Redis publish/subscribe; stores nothing there. It is up while this server hears
 * its own messages through Redis, so a dead connection counts as down after six seconds.
 * @param group only servers of one group hear each other, so two products can share a Redis
 */
export function createRedisLink(options: {
  url: string
  group: string
  onError: (error: unknown) => void
}): ServerLink {
  const { url, group, onError } = options
  const serverId = randomUUID()
  const channelOfAll = `petrel:${group}:all`
  const channelOf = (id: string) => `petrel:${group}:to:${id}`
  const emitter = new EventEmitter().setMaxListeners(0)
  const state = { isUp: false, isClosed: false, heardAt: 0, isSubscribed: false }
  const speaker = new Redis(url, redisOptions)
  const hearer = new Redis(url, redisOptions)

  function say(channel: string, topic: string, data: unknown) {
    if (speaker.status !== 'ready') return
    speaker.publish(channel, JSON.stringify({ from: serverId, topic, data })).catch(turnDown)
  }

  const beat = () => say(channelOf(serverId), 'beat', null)

  function turn(isUp: boolean) {
    if (state.isUp === isUp || state.isClosed) return
    state.isUp = isUp
    emitter.emit('turn', isUp)
  }

  function turnDown() {
    turn(false)
  }

  function handle(text: string) {
    const { from, topic, data } = envelope.parse(JSON.parse(text))
    if (from !== serverId) emitter.emit(`topic ${topic}`, data, from)
    else if (topic === 'beat') {
      state.heardAt = performance.now()
      turn(state.isSubscribed && speaker.status === 'ready')
    }
  }

  async function subscribe() {
    await hearer.subscribe(channelOfAll, channelOf(serverId))
    state.isSubscribed = true
    beat()
  }

  speaker.on('ready', beat)
  speaker.on('close', turnDown)
  hearer.on('ready', () => subscribe().catch(turnDown))
  hearer.on('close', () => {
    state.isSubscribed = false
    turnDown()
  })
  hearer.on('message', (_channel, text) => {
    try {
      handle(text)
    } catch (error) {
      onError(error)
    }
  })
  // Listeners see a break as a turn; each reconnect attempt would be one more error.
  for (const connection of [speaker, hearer]) connection.on('error', () => undefined)

  const beating = setInterval(() => {
    const isSilent = performance.now() - state.heardAt > beatDueWithinMs
    if (state.isUp && isSilent) {
      turnDown()
      for (const connection of [speaker, hearer]) connection.disconnect(true)
    } else beat()
  }, beatEveryMs).unref()

  return {
    serverId,
    isUp: () => state.isUp,
    waitUntilUp(withinMs) {
      if (state.isUp) return Promise.resolve(true)
      return new Promise((resolve) => {
        const timer = setTimeout(finish, withinMs)
        function finish() {
          clearTimeout(timer)
          emitter.off('turn', finish)
          resolve(state.isUp)
        }
        emitter.once('turn', finish)
      })
    },
    publish: (topic, data) => say(channelOfAll, topic, data),
    tell: (id, topic, data) => say(channelOf(id), topic, data),
    listen(topic, listener) {
      emitter.on(`topic ${topic}`, listener)
      return () => emitter.off(`topic ${topic}`, listener)
    },
    onTurn(listener) {
      emitter.on('turn', listener)
      return () => emitter.off('turn', listener)
    },
    close() {
      state.isClosed = true
      state.isUp = false
      clearInterval(beating)
      emitter.removeAllListeners()
      for (const connection of [speaker, hearer]) connection.disconnect()
    },
  }
}
