import { createHash } from 'node:crypto'
import type { Log } from '../lib/log.ts'
import { createRedisLink } from './redis-link.ts'
import type { ServerLink } from './server-link.ts'

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
