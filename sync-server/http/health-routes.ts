import * as z from 'zod/mini'
import { version } from '../../schema/api/version.ts'
import type { Storage } from '../storage/storage.ts'
import { RequestRefused } from './core/request-refused.ts'
import { defineRoute, type Route } from './core/route.ts'

const healthy = z.object({ status: z.literal('ok') })

/** Health checks for the operator. */
export function createHealthRoutes({ storage }: { storage: Storage }): Route[] {
  return [
    defineRoute({
      method: 'get',
      path: '/healthz',
      access: 'anyone',
      summary: 'Answers while the process lives, with its version.',
      status: 200,
      answer: z.extend(healthy, { version: z.string() }),
      handle: async () => ({ status: 'ok' as const, version }),
    }),
    defineRoute({
      method: 'get',
      path: '/readyz',
      access: 'anyone',
      summary: 'Answers while documents can be stored.',
      status: 200,
      answer: healthy,
      async handle() {
        await storage.ready().catch((cause: unknown) => {
          throw new RequestRefused('busy', { words: 'Nothing can be stored right now.', cause })
        })
        return { status: 'ok' as const }
      },
    }),
  ]
}
