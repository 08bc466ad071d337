import express, { type Router } from 'express'
import * as z from 'zod/mini'
import { must } from '../../../../schema/helpers/assertions.ts'
import type { Emulation } from '../state/emulation.ts'
import { configChange } from '../state/emulator-config.ts'
import { rule } from '../state/rules.ts'
import type { EmulatorControl } from './control.ts'

const digits = z.string().check(z.regex(/^\+?[\d ()-]{7,24}$/))
const numberId = z.optional(z.string())
const anyRecord = z.record(z.string(), z.unknown())

const inbound = z.looseObject({
  from: digits,
  name: z.optional(z.string()),
  phone_number_id: numberId,
  type: z._default(z.string(), 'text'),
  base64: z.optional(z.string()),
  mimeType: z.optional(z.string()),
  sample: z.optional(z.enum(['image', 'voice', 'document'])),
  replyTo: z.optional(z.string()),
  referral: z.optional(anyRecord),
  timestamp: z.optional(z.coerce.number()),
})

/** The calls of `/__emulator__`, JSON in and out. */
export function createControlRoutes(emulation: Emulation, control: EmulatorControl): Router {
  const router = express.Router()
  const { clock, state, config } = emulation

  /** Declares a call: checks its body, and answers with the result of `run`; `null` is a 404. */
  function post<Shape extends z.ZodMiniType>(
    path: string,
    shape: Shape,
    run: (body: z.output<Shape>, id: string) => unknown,
  ) {
    router.post(path, async (request, response) => {
      const read = shape.safeParse(readBody(request.body))
      if (!read.success) {
        response.status(400).json({ error: z.prettifyError(read.error) })
        return
      }
      const answer = await run(read.data, String(request.params.id ?? ''))
      if (answer === null || answer === false) response.status(404).json({ error: 'Not found' })
      else response.json(answer === true || answer === undefined ? { success: true } : answer)
    })
  }

  post('/reset', z.object({}), () => control.reset())
  post('/clock', z.object({ advanceMs: z.number().check(z.gte(0)) }), async ({ advanceMs }) => {
    await control.advance(advanceMs)
    return { now: clock.now() }
  })
  post('/config', configChange, async (change) => ({
    areWebhooksOn: await control.configure(change),
    config,
  }))
  post('/inbound', inbound, (body) => ({ wamid: control.inbound(readInbound(body)) }))
  post(
    '/status',
    z.object({
      wamid: z.string(),
      status: z.enum(['sent', 'delivered', 'read', 'played', 'failed']),
      errorCode: z.optional(z.number()),
      timestamp: z.optional(z.number()),
    }),
    (body) => control.status(body),
  )
  post('/release', z.object({ wamid: z.string() }), ({ wamid }) => control.release(wamid))
  post(
    '/echo',
    z.object({
      to: digits,
      type: z._default(z.string(), 'text'),
      content: z.unknown(),
      phone_number_id: numberId,
      wamid: z.optional(z.string()),
    }),
    (body) => ({ wamid: control.echo(body) }),
  )
  post(
    '/template-status',
    z.object({
      name: z.string(),
      language: z.string(),
      event: z.string(),
      reason: z.optional(z.string()),
    }),
    (body) => control.templateStatus(body),
  )
  post(
    '/account-error',
    z.object({ code: z.number(), details: z.optional(z.string()), phone_number_id: numberId }),
    (body) => control.accountError(body),
  )
  post('/rules', rule, (body) => control.addRule(body))
  post(
    '/window',
    z.object({
      wa_id: digits,
      state: z.optional(z.enum(['open', 'closed'])),
      expiresAt: z.optional(z.number()),
      phone_number_id: numberId,
    }),
    (body) => control.setWindow(body),
  )
  post('/media/expire', z.object({ ids: z.optional(z.boolean()) }), (body) =>
    control.expireMedia(body),
  )
  post('/token/rotate', z.object({}), () => ({ accessToken: control.rotateToken() }))
  post('/webhooks/:id/redeliver', z.object({}), (_body, id) => control.redeliver(Number(id)))
  post(
    '/webhooks/raw',
    z.object({ body: z.string(), isSigned: z._default(z.boolean(), true) }),
    async ({ body, isSigned }) => ({ status: await control.sendRaw(body, isSigned) }),
  )

  router.get('/outbox', (_request, response) => {
    response.json(control.outbox())
  })
  router.get('/webhooks', (_request, response) => {
    response.json(control.deliveries())
  })
  router.get('/state', (_request, response) => {
    response.json({
      now: clock.now(),
      config,
      areWebhooksOn: state.subscriptions.isVerified,
      numbers: [...state.numbers.values()].map(({ blocked, ...number }) => ({
        ...number,
        blocked: [...blocked],
      })),
      customers: [...state.customers.values()],
      windows: Object.fromEntries(state.windows),
      templates: state.templates,
      received: state.received,
    })
  })
  return router
}

function readBody(body: unknown): unknown {
  if (!Buffer.isBuffer(body) || body.length === 0) return {}
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return undefined
  }
}

/** The payload is under the type's name, as in the webhook, or under `content`. */
function readInbound(body: z.output<typeof inbound>) {
  const { base64, mimeType, sample, type, ...rest } = body
  const bytes =
    base64 === undefined
      ? undefined
      : { base64, mimeType: must(mimeType, 'mimeType, which a file in base64 needs') }
  return {
    ...rest,
    type,
    content: body[type] ?? body.content,
    file: sample ? { sample } : bytes,
  }
}
